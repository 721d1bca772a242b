"""The network's values by name, as numpy arrays, for PyTorch."""

import gc

import numpy
import pytest

import otseq2set


def test_arrays_by_name_cannot_be_written_to(folder):
    weights = otseq2set.weights(folder)
    assert weights["encoder.embedding.weight"].dtype == numpy.float32
    assert sum(array.size for array in weights.values()) == otseq2set.Model.load(folder).info()["parameters"]
    with pytest.raises(ValueError, match="read-only"):
        weights["encoder.embedding.weight"][0, 0] = 1
    with pytest.raises(ValueError):
        weights["encoder.embedding.weight"].setflags(write=True)


def test_an_array_outlives_the_others(folder):
    array = otseq2set.weights(folder / "weights.safetensors")["encoder.embedding.weight"]
    gc.collect()
    assert numpy.isfinite(array).all()


def test_what_is_no_such_file_is_told(tmp_path):
    for content in (b"", b"\xff" * 100, b"\x10\0\0\0\0\0\0\0{"):
        (tmp_path / "weights.safetensors").write_bytes(content)
        with pytest.raises(otseq2set.Error, match="weights.safetensors"):
            otseq2set.weights(tmp_path)
    with pytest.raises(otseq2set.Error, match="none"):
        otseq2set.weights(tmp_path / "none")


def test_a_network_of_pytorch_loads_them(folder):
    """Modules named as in the authors' code; strict, so that no name or shape may differ."""
    nn = pytest.importorskip("torch.nn")
    torch = pytest.importorskip("torch")
    settings = otseq2set.Model.load(folder).info()["settings"]
    weights = {name: torch.tensor(array) for name, array in otseq2set.weights(folder).items()}
    words, width = weights["encoder.embedding.weight"].shape
    labels, label_width = weights["decoder.embedding.weight"].shape
    hidden = settings["model.hidden"]

    def tree(**children):
        module = nn.Module()
        for name, child in children.items():
            setattr(module, name, child)
        return module

    encoder = tree(embedding=nn.Embedding(words, width), fc=nn.Linear(2 * hidden, hidden),
                   rnn=nn.GRU(width, hidden, settings["model.encoder_layers"], bidirectional=True))
    attention = tree(linear_encoder=nn.Linear(2 * hidden, hidden), linear_decoder=nn.Linear(hidden, hidden),
                     linear_v=nn.Linear(hidden, 1))
    decoder = tree(embedding=nn.Embedding(labels, label_width), attention=attention,
                   rnn=tree(layers=nn.ModuleList([nn.GRUCell(4 * hidden + label_width, hidden)])),
                   fc_out=nn.Linear(5 * hidden + label_width, labels))
    light_convs = nn.Sequential(*[nn.Sequential(tree(weight=nn.Parameter(torch.zeros(2 * hidden, 1, kernel))), nn.ReLU())
                                  for kernel in settings["model.light_conv.kernels"]])
    network = tree(encoder=encoder, decoder=decoder, dl_conv=light_convs)
    network.load_state_dict(weights)
    states, _ = encoder.rnn(encoder.embedding(torch.arange(5).unsqueeze(1)))
    assert states.shape == (5, 1, 2 * hidden) and bool(torch.isfinite(states).all())
