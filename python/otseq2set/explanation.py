"""Why a label? The words of the text that led to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from otseq2set.model import Label

LABELS_SHOWN = 20


@dataclass(frozen=True)
class WordReason:
    """One occurrence of a word: ``text[begin:end]``, in characters."""

    begin: int
    end: int
    text: str
    weight: float  #: how much the model looked at it for the label; the weights of all words that it read sum to 1
    fall: Optional[float]  #: with leave_out: the label's score minus its score without this word


@dataclass(frozen=True)
class NgramReason:
    """A word or two neighbouring words, and exactly what they add to the linear model's margin of the label."""

    begin: int
    end: int
    text: str
    share: float


@dataclass(frozen=True)
class LabelReasons:
    label: Label
    words: list[WordReason]  #: heaviest first
    ngrams: list[NgramReason]  #: for a model with a linear part: those in favour of the label, largest first


@dataclass(frozen=True)
class Explanation:
    """The labels of a text, best first, and the words behind each. A notebook shows it as the marked text."""

    text: str = field(repr=False)
    labels: list[LabelReasons]
    words_total: int  #: of the text
    words_read: int  #: the model reads no more than its max_words
    cut: Optional[int]  #: the word at this character and all after it were not read

    def _repr_html_(self) -> str:
        if not self.labels:
            return f"<p><i>no labels</i></p>{_text(escape(self.text))}"
        shown = [_label_html(self, reasons, first=place == 0) for place, reasons in enumerate(self.labels[:LABELS_SHOWN])]
        more = len(self.labels) - len(shown)
        return "".join(shown) + (f"<p>and {more} more labels</p>" if more else "")


def explanation(text: str, answer: tuple[Any, ...]) -> Explanation:
    """What _core says of a text."""
    labels, words_total, words_read, cut = answer
    return Explanation(text, [
        LabelReasons(label, [WordReason(begin, end, text[begin:end], weight, fall) for begin, end, weight, fall in words],
                     [NgramReason(begin, end, text[begin:end], share) for begin, end, share in ngrams])
        for label, words, ngrams in labels
    ], words_total, words_read, cut)


def _label_html(whole: Explanation, reasons: LabelReasons, first: bool) -> str:
    label = reasons.label
    name = escape(label.name) + (f" <small>{escape(label.id)}</small>" if label.id != label.name else "")
    bar = (f'<span style="display:inline-block;width:6em;background:rgba(128,128,128,.25)"><span style="display:block;'
           f'width:{100 * label.score:.0f}%;background:#e8871e">&nbsp;</span></span>')
    return (f'<details{" open" if first else ""} style="margin:.2em 0"><summary>{bar} {label.score:.2f} <b>{name}</b>'
            f"</summary>{_text(_marked(whole, reasons))}</details>")


def _text(inner: str) -> str:
    return (f'<div style="white-space:pre-wrap;max-height:20em;overflow:auto;padding:.4em;'
            f'border:1px solid rgba(128,128,128,.4)">{inner}</div>')


def _marked(whole: Explanation, reasons: LabelReasons) -> str:
    """The text: words on a colour as strong as their weight, underlined where the linear model saw a reason."""
    heaviest = max((word.weight for word in reasons.words), default=0) or 1
    strength = {(word.begin, word.end): word.weight / heaviest for word in reasons.words}
    title = {(word.begin, word.end): f"weight {word.weight:.3f}" + ("" if word.fall is None else f", fall {word.fall:.3f}")
             for word in reasons.words}
    underlined = {place for ngram in reasons.ngrams for place in range(ngram.begin, ngram.end)}
    borders = sorted({0, len(whole.text)} | {place for span in strength for place in span}
                     | {place for ngram in reasons.ngrams for place in (ngram.begin, ngram.end)}
                     | ({whole.cut} if whole.cut is not None else set()))
    pieces = []
    for begin, end in zip(borders, borders[1:]):
        piece = escape(whole.text[begin:end])
        span = next((span for span in strength if span[0] <= begin and end <= span[1]), None)
        if begin in underlined:
            piece = f'<span style="text-decoration:underline">{piece}</span>'
        if span is not None:
            piece = (f'<span title="{title[span]}" style="background:rgba(232,135,30,{strength[span]:.2f})">'
                     f"{piece}</span>")
        if whole.cut is not None and begin >= whole.cut:
            piece = f'<span title="not read" style="opacity:.5">{piece}</span>'
        pieces.append(piece)
    return "".join(pieces)
