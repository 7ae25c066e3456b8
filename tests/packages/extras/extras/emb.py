import numpy as np

from bertillon.io import templates


def fits(head) -> bool:
    return bool(head.lines) and head.lines[0].strip() == "embeddings"


def read(source, request) -> templates.Parts:
    if request.labels is not None:
        raise source.error("says itself whose each template is; leave labels out")
    rows = [line.split() for line in source.data().decode().splitlines()[1:]]
    try:
        vectors = np.array([row[2:] for row in rows], dtype=np.float64)
        subject, sample = (np.array([row[place] for row in rows]) for place in (0, 1))
    except (ValueError, IndexError) as error:
        raise source.error(f"expected lines of subject, sample and numbers ({error})") from error
    return templates.Parts(vectors, subject, sample)


templates.register(
    templates.TemplateFormat("emb", "subject, sample and numbers, a line a template", rank=1, fits=fits, reader=read)
)
