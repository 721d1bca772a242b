"""Documents that a small model learns in seconds, as JSON lines on standard output."""

import json
import random

WORDS = {"fish": ["cod", "trawler"], "birds": ["sparrow", "nest"], "trees": ["oak", "forest"]}


def small_corpus(documents):
    chance = random.Random(1)
    for _ in range(documents):
        labels = chance.sample(sorted(WORDS), chance.randint(1, 2))
        words = [word for label in labels for word in WORDS[label]] + chance.choices(["the", "of", "and"], k=3)
        chance.shuffle(words)
        yield labels, " ".join(words)


if __name__ == "__main__":
    for labels, text in small_corpus(240):
        print(json.dumps({"text": text, "labels": labels}))
