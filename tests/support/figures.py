"""What tests read off a figure."""


def trace(figure, name):
    return next(t for t in figure.data if t.name == name)


def words(figure):
    return [a.text for a in figure.layout.annotations]


def risks(card):
    return {name: entry["risk"] for name, entry in card.per_class.items()}
