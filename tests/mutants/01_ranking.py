"""Right and wrong answers to lab 01's questions: the first must score full, the second must lose points.

A wrong answer is the solution with one replacement, ``(old, new)``; ``old`` stands exactly once in it, or
the whole text of an answer. A right answer is a whole text, in another shape than the solution's.
"""

from tests.mutants import Question

QUESTIONS = {
    "q1": Question(
        right={
            "two passes, a defaultdict turned into a dict": """
from collections import defaultdict

def build_index(documents):
    if len(documents) == 0:
        raise ValueError("no documents")
    table = defaultdict(dict)
    for number, document in enumerate(documents):
        for term in document:
            table[term][number] = table[term].get(number, 0) + 1
    return {term: sorted(row.items()) for term, row in table.items()}
""",
            "by sorting all pairs, NumPy integers": """
def build_index(documents):
    if not len(documents):
        raise ValueError("no documents")
    index = {}
    for term, number in sorted((t, i) for i, d in enumerate(documents) for t in d):
        row = index.setdefault(term, [])
        if row and row[-1][0] == number:
            row[-1] = (number, np.int64(row[-1][1] + 1))
        else:
            row.append((number, np.int64(1)))
    return index
""",
        },
        wrong={
            "documents counted from 1": ("enumerate(documents)", "enumerate(documents, 1)"),
            "every frequency is 1": ("append((number, frequency))", "append((number, 1))"),
            "the pair the other way round": ("append((number, frequency))", "append((frequency, number))"),
            "descending order": ("append((number, frequency))", "insert(0, (number, frequency))"),
            "frequency in the collection": (
                "Counter(document).items()",
                "((t, sum(d.count(t) for d in documents)) for t in dict.fromkeys(document))",
            ),
            "a posting for each occurrence": (
                "Counter(document).items()",
                "((t, document.count(t)) for t in document)",
            ),
            "no error for an empty collection": ("if not documents:", "if False:"),
            "returns None for an empty collection": (
                'raise ValueError("build_index: the collection has no documents")',
                "return None",
            ),
            "an empty document ends the index": (
                "for term, frequency in Counter(document)",
                "if not document:\n            break\n        for term, frequency in Counter(document)",
            ),
            "documents are sorted in place": (
                "for term, frequency in Counter(document)",
                "document.sort()\n        for term, frequency in Counter(document)",
            ),
            "documents are emptied": (
                "    return index",
                "    for document in documents:\n        document.clear()\n    return index",
            ),
            "an index that lives on between calls": (
                "def build_index(documents):",
                "def build_index(documents, index={}):",
                "    index = {}\n",
                "",
            ),
            "the public example, hard-coded": """
def build_index(documents):
    if not documents:
        raise ValueError
    return {"cat": [(0, 1), (1, 2)], "sat": [(0, 1)], "dog": [(1, 1)]}
""",
        },
    ),
    "q2": Question(
        right={
            "vectorised with NumPy": """
def idf(index, num_documents):
    return dict(zip(index, np.log(num_documents / np.array([len(p) for p in index.values()], dtype=float))))

def tfidf_scores(index, weights, query, num_documents):
    scores = np.zeros(num_documents)
    for term in query:
        if term in index:
            numbers, frequencies = np.array(index[term]).T
            scores[numbers] += (1 + np.log(frequencies)) * weights[term]
    return scores
""",
            "plain math, query counted first": """
import math

def idf(index, num_documents):
    return {t: math.log(num_documents) - math.log(len(p)) for t, p in index.items()}

def tfidf_scores(index, weights, query, num_documents):
    total = [0.0] * num_documents
    for term, times in Counter(query).items():
        for number, frequency in index.get(term, ()):
            total[number] += times * (1 + math.log(frequency)) * weights[term]
    return np.array(total)
""",
        },
        wrong={
            "log to base 2 in idf": ("np.log(num_documents", "np.log2(num_documents"),
            "log to base 10 in idf": ("np.log(num_documents", "np.log10(num_documents"),
            "idf upside down": ("num_documents / len(postings)", "len(postings) / num_documents"),
            "df counts occurrences": ("/ len(postings))", "/ sum(n for _, n in postings))"),
            "scikit-learn's smoothing": (
                "np.log(num_documents / len(postings))",
                "np.log((1 + num_documents) / (1 + len(postings))) + 1",
            ),
            "1 added to idf": (
                "np.log(num_documents / len(postings))",
                "1 + np.log(num_documents / len(postings))",
            ),
            "integer division": ("num_documents / len(postings)", "num_documents // len(postings)"),
            "the 1 before ln tf is missing": ("(1 + np.log(frequency))", "np.log(frequency)"),
            "ln(1 + tf)": ("(1 + np.log(frequency))", "np.log(1 + frequency)"),
            "log to base 2 in tf": ("np.log(frequency)", "np.log2(frequency)"),
            "raw term frequency": ("(1 + np.log(frequency))", "frequency"),
            "idf squared": ("* weights[term]", "* weights[term] ** 2"),
            "the query as a set": ("for term in query:", "for term in set(query):"),
            "fails on unknown words": ("index.get(term, [])", "index[term]"),
            "overwrites instead of adding": ("scores[number] +=", "scores[number] ="),
            "a list, not an array": ("    return scores", "    return scores.tolist()"),
            "32 bits": ("np.zeros(num_documents)", "np.zeros(num_documents, dtype=np.float32)"),
            "unknown words enter the index": ("index.get(term, [])", "index.setdefault(term, [])"),
        },
    ),
    "q3": Question(
        right={
            "dense arithmetic, then sparse": """
def tfidf_matrix(index, weights, num_documents):
    dense = np.zeros((num_documents, len(index)))
    for column, term in enumerate(sorted(index)):
        for number, frequency in index[term]:
            dense[number, column] = (1 + np.log(frequency)) * weights[term]
    norm = np.linalg.norm(dense, axis=1, keepdims=True)
    norm[norm == 0] = 1
    return sparse.csr_array(dense / norm)
""",
            "scikit-learn's normalize": """
from sklearn.preprocessing import normalize

def tfidf_matrix(index, weights, num_documents):
    matrix = sparse.lil_array((num_documents, len(index)))
    for column, term in enumerate(sorted(index)):
        for number, frequency in index[term]:
            matrix[number, column] = (1 + np.log(frequency)) * weights[term]
    return sparse.csr_array(normalize(sparse.csr_matrix(matrix)))
""",
        },
        wrong={
            "rows are not scaled": ("sparse.diags_array(scale) @ matrix", "matrix"),
            "the root is missing": ("np.sqrt((matrix**2).sum(axis=1))", "(matrix**2).sum(axis=1)"),
            "rows sum to 1": ("np.sqrt((matrix**2).sum(axis=1))", "matrix.sum(axis=1)"),
            "columns are scaled": (
                "    return sparse.csr_array(sparse.diags_array(scale) @ matrix)",
                "    return sparse.csr_array(matrix / np.sqrt((matrix**2).sum(axis=0)))",
            ),
            "scaled by the longest row": ("length = np.sqrt(", "length = np.zeros(num_documents) + np.max("),
            "columns in the index's order": ("enumerate(sorted(index))", "enumerate(index)"),
            "nan for empty rows": ("where=length > 0", "where=length >= 0"),
            "idf left out": (" * weights[term]", ""),
            "tf not logarithmic": ("(1 + np.log(frequency))", "frequency"),
            "log to base 2": ("np.log(frequency)", "np.log2(frequency)"),
            "transposed": (
                "    return sparse.csr_array(sparse.diags_array(scale) @ matrix)",
                "    return matrix.T.tocsr()",
            ),
            "a dense array": (
                "    return sparse.csr_array(sparse.diags_array(scale) @ matrix)",
                "    return (sparse.diags_array(scale) @ matrix).toarray()",
            ),
            "csc instead of csr": ("return sparse.csr_array(", "return sparse.csc_array("),
            "32 bits": (
                "dtype=float)",
                "dtype=np.float32)",
                "np.zeros(num_documents)",
                "np.zeros(num_documents, dtype=np.float32)",
            ),
        },
    ),
    "q4": Question(
        right={
            "vectorised, the factor written the other way": """
def bm25_idf(index, num_documents):
    df = np.array([len(p) for p in index.values()])
    return dict(zip(index, np.log((num_documents + 1) / (df + 0.5)).tolist()))

def bm25_scores(index, weights, lengths, query, k1=1.5, b=0.75):
    lengths = np.array(lengths, dtype=float)
    B = 1 - b + b * lengths / lengths.mean()
    scores = np.zeros(lengths.shape[0])
    for term, times in Counter(query).items():
        if term in index:
            d, tf = np.array(index[term]).T
            scores[d] += times * weights[term] * (k1 + 1) / (1 + k1 * B[d] / tf)
    return scores
""",
        },
        wrong={
            "Robertson's idf, negative": ("np.log1p(", "np.log("),
            "ln(N / df)": (
                "np.log1p((num_documents - len(postings) + 0.5) / (len(postings) + 0.5))",
                "np.log(num_documents / len(postings))",
            ),
            "log to base 2 in idf": (
                "np.log1p((num_documents - len(postings) + 0.5) / (len(postings) + 0.5))",
                "np.log2(1 + (num_documents - len(postings) + 0.5) / (len(postings) + 0.5))",
            ),
            "0.5 missing below": ("/ (len(postings) + 0.5)", "/ len(postings)"),
            "0.5 missing above": ("(num_documents - len(postings) + 0.5)", "(num_documents - len(postings))"),
            "df not taken off N": ("(num_documents - len(postings) + 0.5)", "(num_documents + 0.5)"),
            "df counts occurrences": (
                "for term, postings in index.items()",
                "for term, postings in ((t, [0] * sum(n for _, n in p)) for t, p in index.items())",
            ),
            "negative idf set to 0": (
                "np.log1p((num_documents - len(postings) + 0.5) / (len(postings) + 0.5))",
                "max(0.0, np.log((num_documents - len(postings) + 0.5) / (len(postings) + 0.5)))",
            ),
            "b and 1 − b exchanged": (
                "(1 - b + b * lengths / lengths.mean())",
                "(b + (1 - b) * lengths / lengths.mean())",
            ),
            "no average length": ("b * lengths / lengths.mean()", "b * lengths"),
            "average upside down": ("lengths / lengths.mean()", "lengths.mean() / lengths"),
            "median for mean": ("lengths.mean()", "np.median(lengths)"),
            "the 1 − b is missing": ("(1 - b + b * lengths", "(b * lengths"),
            "k1 + 1 is missing": (" * (k1 + 1) /", " /"),
            "k1 in the place of k1 + 1": ("* (k1 + 1) /", "* k1 /"),
            "k1 missing below": ("norm = k1 * (1", "norm = (1"),
            "raw idf left out": ("weights[term] * frequency", "frequency"),
            "tf logarithmic": ("weights[term] * frequency *", "weights[term] * (1 + np.log(frequency)) *"),
            "other default k1": ("k1=1.5", "k1=1.2"),
            "other default b": ("b=0.75", "b=0.5"),
            "the query as a set": ("for term in query:", "for term in set(query):"),
            "fails on unknown words": ("index.get(term, [])", "index[term]"),
            "unknown words enter the index": ("index.get(term, [])", "index.setdefault(term, [])"),
            "overwrites instead of adding": ("scores[number] +=", "scores[number] ="),
            "lengths are divided in place": (
                "lengths = np.asarray(lengths, dtype=float)",
                "total = sum(lengths) / len(lengths)\n    lengths[:] = [n / total for n in lengths]\n"
                "    lengths = np.asarray(lengths, dtype=float)",
            ),
        },
    ),
    "q5": Question(
        right={
            "through COO, and a full sort": """
def bm25_matrix(index, weights, lengths, k1=1.5, b=0.75):
    average = sum(lengths) / len(lengths)
    rows, columns, entries = [], [], []
    for row, term in enumerate(sorted(index)):
        for d, tf in index[term]:
            rows.append(row)
            columns.append(d)
            entries.append(weights[term] * tf * (k1 + 1) / (tf + k1 * (1 - b + b * lengths[d] / average)))
    shape = (len(index), len(lengths))
    return sparse.coo_array((np.array(entries, dtype=np.float64), (rows, columns)), shape=shape).tocsr()

def search(matrix, rows, query, k=10):
    vector = np.zeros(matrix.shape[0])
    for term in query:
        if term in rows:
            vector[rows[term]] += 1
    scores = matrix.T @ vector
    order = np.argsort(-scores, kind="stable")[:k]
    order = order[scores[order] > 0]
    return order, scores[order]
""",
            "argpartition with the ties put right": """
def bm25_matrix(index, weights, lengths, k1=1.5, b=0.75):
    terms = sorted(index)
    lengths = np.asarray(lengths, float)
    B = k1 * (1 - b + b * lengths / np.mean(lengths))
    parts = []
    for term in terms:
        d, tf = np.array(index[term], dtype=int).T
        row = np.zeros(len(lengths))
        row[d] = weights[term] * (k1 + 1) * tf / (tf + B[d])
        parts.append(sparse.csr_array(row[None, :]))
    return sparse.csr_array(sparse.vstack(parts))

def search(matrix, rows, query, k=10):
    known = [rows[t] for t in query if t in rows]
    if not known:
        return np.zeros(0, dtype=int), np.zeros(0)
    scores = np.asarray(matrix[known].sum(axis=0)).ravel()
    k = min(k, len(scores))
    bound = scores[np.argpartition(-scores, k - 1)[:k]].min()
    candidates = [int(d) for d in np.nonzero((scores >= bound) & (scores > 0))[0]]
    candidates.sort(key=lambda d: (-scores[d], d))
    best = np.array(candidates[:k], dtype=np.int64)
    return best, scores[best]
""",
        },
        wrong={
            "rows in the index's order": ("terms = sorted(index)", "terms = list(index)"),
            "transposed": (
                "shape=(len(terms), len(lengths)))",
                "shape=(len(terms), len(lengths))).T.tocsr()",
            ),
            "k1 + 1 is missing": (" * (k1 + 1) /", " /"),
            "idf left out": ("entries = weight * frequencies", "entries = frequencies"),
            "no length normalization": (
                "k1 * (1 - b + b * lengths / lengths.mean())",
                "k1 * np.ones(len(lengths))",
            ),
            "length of the wrong document": ("norm[numbers]", "norm[np.arange(len(numbers)) % len(norm)]"),
            "k1 and b ignored": (
                "lengths = np.asarray(lengths, dtype=float)",
                "k1, b = 1.5, 0.75\n    lengths = np.asarray(lengths, dtype=float)",
            ),
            "csc instead of csr": (
                "return sparse.csr_array((entries",
                "return sparse.csc_array(sparse.csr_array((entries",
                "len(lengths)))",
                "len(lengths))))",
            ),
            "32 bits": (
                "    return sparse.csr_array((entries",
                "    entries = entries.astype(np.float32)\n    return sparse.csr_array((entries",
            ),
            "worst first": ("np.lexsort((found, -scores[found]))", "np.lexsort((found, scores[found]))"),
            "ties last number first": (
                "np.lexsort((found, -scores[found]))",
                "np.lexsort((-found, -scores[found]))",
            ),
            "argpartition alone, unordered": (
                "    found = np.flatnonzero(scores > 0)",
                "    best = np.argpartition(-scores, min(k, len(scores) - 1))[:k]\n    return best, scores[best]\n"
                "    found = np.flatnonzero(scores > 0)",
            ),
            "ties lost at the cut": (
                "found = found[scores[found] >= smallest]",
                "found = found[np.argpartition(-scores[found], k - 1)[:k]][::-1]",
            ),
            "the query as a set": (
                "for term in query if term in rows",
                "for term in set(query) if term in rows",
            ),
            "fails on unknown words": ("for term in query if term in rows", "for term in query"),
            "unknown words take row 0": (
                "rows[term] for term in query if term in rows",
                "rows.get(term, 0) for term in query",
            ),
            "documents with score 0 come too": ("np.flatnonzero(scores > 0)", "np.arange(len(scores))"),
            "fails when k is above N": (
                "    best = found[",
                "    if k > len(scores):\n        raise ValueError('k')\n    best = found[",
            ),
            "always ten": (
                "[:k]",
                "[:10]",
                "len(found) > k",
                "len(found) > 10",
                "len(found) - k)[len(found) - k]",
                "len(found) - 10)[len(found) - 10]",
            ),
            "scores of the wrong documents": (
                "    return best, scores[best]",
                "    return best, np.sort(scores)[::-1][:k]",
            ),
            "pairs instead of two arrays": (
                "    return best, scores[best]",
                "    return list(zip(best, scores[best]))",
            ),
            "ranks instead of numbers": (
                "    return best, scores[best]",
                "    return np.arange(len(best)), scores[best]",
            ),
            "the matrix is changed": (
                "    scores = np.zeros(matrix.shape[1])",
                "    matrix.data /= matrix.data.max()\n    scores = np.zeros(matrix.shape[1])",
            ),
        },
    ),
    "q6": Question(
        right={
            "with NumPy": """
def precision_at_k(ranking, relevant, k):
    if k <= 0:
        raise ValueError("k")
    return len([d for d in ranking[:k] if d in relevant]) / float(k)

def average_precision(ranking, relevant):
    hit = np.array([d in relevant for d in ranking], dtype=float)
    if not relevant or not len(hit):
        return 0.0
    return float((np.cumsum(hit) / np.arange(1, len(hit) + 1) * hit).sum() / len(relevant))

def reciprocal_rank(ranking, relevant):
    return next((1 / (i + 1) for i, d in enumerate(ranking) if d in relevant), 0.0)
""",
        },
        wrong={
            "P@k divided by the length of the ranking": (
                "ranking[:k]) / k",
                "ranking[:k]) / max(1, len(ranking[:k]))",
            ),
            "P@k divided by the relevant": ("ranking[:k]) / k", "ranking[:k]) / max(1, len(relevant))"),
            "P@k one too few": ("ranking[:k]", "ranking[:k - 1]"),
            "P@k one too many": ("ranking[:k]", "ranking[:k + 1]"),
            "P@k takes k = 0": ("if k < 1:", "if k < 0:"),
            "P@k returns 0 for a bad k": (
                'raise ValueError(f"precision_at_k: k is {k}, and must be 1 or more")',
                "return 0.0",
            ),
            "AP divided by the relevant found": (
                "return total / len(relevant)",
                "return total / max(1, hits)",
            ),
            "AP divided by the ranking": (
                "return total / len(relevant)",
                "return total / max(1, len(ranking))",
            ),
            "AP with ranks from 0": (
                "hits, total = 0, 0.0\n    for rank, document in enumerate(ranking, 1):",
                "hits, total = 0, 0.0\n    for rank, document in enumerate(ranking, 2):",
            ),
            "AP as the mean precision at all ranks": (
                "        if document in relevant:\n            hits += 1\n            total += hits / rank",
                "        hits += document in relevant\n        total += hits / rank",
            ),
            "AP as a mean of reciprocal ranks": ("total += hits / rank", "total += 1 / rank"),
            "AP fails without relevant documents": ("    if not relevant:\n        return 0.0\n", ""),
            "AP is 1 without relevant documents": (
                "    if not relevant:\n        return 0.0\n",
                "    if not relevant:\n        return 1.0\n",
            ),
            "RR with ranks from 0": ("return 1 / rank", "return 1 / (rank + 1)"),
            "RR of the last relevant": (
                "            return 1 / rank\n    return 0.0",
                "            last = 1 / rank\n    return locals().get('last', 0.0)",
            ),
            "RR is the rank": ("return 1 / rank", "return rank"),
            "RR is None when nothing is found": (
                "            return 1 / rank\n    return 0.0",
                "            return 1 / rank",
            ),
            "RR is -1 when nothing is found": (
                "            return 1 / rank\n    return 0.0",
                "            return 1 / rank\n    return -1.0",
            ),
            "RR adds all relevant documents": (
                "            return 1 / rank\n    return 0.0",
                "            return sum(1 / r for r, d in enumerate(ranking, 1) if d in relevant)\n    return 0.0",
            ),
        },
    ),
    "q7": Question(
        right={
            "loops, natural logs whose base cancels, plain math": """
import math

def dcg(grades, gain="linear"):
    if gain not in {"linear", "exponential"}:
        raise ValueError(gain)
    total = 0.0
    for rank, grade in enumerate(grades, start=1):
        if grade < 0:
            raise ValueError(grade)
        value = grade if gain == "linear" else 2**grade - 1
        total += value * math.log(2) / math.log(rank + 1)
    return total

def ndcg(ranking, grades, k=10, gain="linear"):
    def natural(values):
        return sum((v if gain == "linear" else 2**v - 1) / math.log(r + 1) for r, v in enumerate(values, 1))
    if gain not in {"linear", "exponential"} or any(g < 0 for g in grades.values()):
        raise ValueError("gain or grade")
    best = natural(sorted(grades.values())[::-1][:k])
    return natural([grades.get(d, 0) for d in ranking][:k]) / best if best else 0.0
""",
        },
        wrong={
            "natural log": ("np.log2(np.arange", "np.log(np.arange"),
            "log to base 10": ("np.log2(np.arange", "np.log10(np.arange"),
            "rank without the 1": (
                "np.arange(len(grades)) + 2",
                "np.maximum(np.arange(len(grades)) + 1, 1.5)",
            ),
            "Järvelin's first form: no discount up to rank 2": (
                "np.log2(np.arange(len(grades)) + 2)",
                "np.maximum(1, np.log2(np.arange(len(grades)) + 1.0))",
            ),
            "discount by rank": ("np.log2(np.arange(len(grades)) + 2)", "(np.arange(len(grades)) + 1)"),
            "exponential without the - 1": ("2**grades - 1", "2**grades"),
            "square for power": ("2**grades - 1", "grades**2"),
            "always linear": ('gains = grades if gain == "linear" else 2**grades - 1', "gains = grades"),
            "always exponential": (
                'gains = grades if gain == "linear" else 2**grades - 1',
                "gains = 2**grades - 1",
            ),
            "unknown gains pass": ('if gain not in ("linear", "exponential"):', "if False:"),
            "negative grades pass": (
                "if (grades < 0).any():",
                "if False:",
                "if min(grades.values(), default=0) < 0:",
                "if False:",
            ),
            "negative grades pass when they are not found": (
                "if min(grades.values(), default=0) < 0:",
                "if False:",
            ),
            "gain not passed on": (
                "ideal = dcg(sorted(grades.values(), reverse=True)[:k], gain)",
                "ideal = dcg(sorted(grades.values(), reverse=True)[:k])",
            ),
            "ideal of the documents found only": (
                "sorted(grades.values(), reverse=True)[:k]",
                "sorted([grades.get(d, 0) for d in ranking], reverse=True)[:k]",
            ),
            "ideal not cut at k": (
                "sorted(grades.values(), reverse=True)[:k]",
                "sorted(grades.values(), reverse=True)",
            ),
            "ideal in the wrong order": (
                "sorted(grades.values(), reverse=True)[:k]",
                "sorted(grades.values())[-k:]",
            ),
            "ranking not cut at k": ("for document in ranking[:k]]", "for document in ranking]"),
            "k ignored": (
                "for document in ranking[:k]]",
                "for document in ranking[:10]]",
                "reverse=True)[:k]",
                "reverse=True)[:10]",
            ),
            "unjudged documents skipped": (
                "[grades.get(document, 0) for document in ranking[:k]]",
                "[grades[d] for d in ranking[:k] if d in grades]",
            ),
            "fails on unjudged documents": ("grades.get(document, 0)", "grades[document]"),
            "nan without relevant documents": (
                "found / ideal if ideal > 0 else 0.0",
                "np.float64(found) / np.float64(ideal)",
            ),
            "1 without relevant documents": ("if ideal > 0 else 0.0", "if ideal > 0 else 1.0"),
            "DCG for nDCG": ("return found / ideal if ideal > 0 else 0.0", "return found"),
        },
    ),
}

# Found by attacking the first version of the tests: 56 of these 57 scored full then (all but the unstable sort,
# which scored full on some processors).
QUESTIONS["q1"].wrong.update(
    {
        "tokens lower-cased": ("Counter(document)", "Counter(t.lower() for t in document)"),
        "empty tokens dropped": ("Counter(document)", "Counter(t for t in document if t)"),
        "stop words dropped": ("Counter(document)", "Counter(t for t in document if t != 'the')"),
        "frequencies as floats": ("(number, frequency)", "(number, float(frequency))"),
        "numbers that overflow": (
            "(number, frequency)",
            "(np.uint8(number % 256), np.uint8(frequency % 256))",
        ),
        "frequencies capped": ("(number, frequency)", "(number, min(frequency, 5))"),
        "an error for documents without tokens": ("if not documents:", "if not any(documents):"),
        "the second call destroys the first index": (
            "    index = {}",
            "    index = build_index.__dict__.setdefault('index', {})\n    index.clear()",
        ),
    }
)
QUESTIONS["q2"].wrong.update(
    {
        "N read off the postings": (
            "    return {term: np.log(num_documents",
            "    num_documents = len({d for p in index.values() for d, _ in p})\n    return {term: np.log(num_documents",
        ),
        "32 bits unless all is zero": (
            "    return scores",
            "    return scores.astype(np.float32) if scores.any() else scores",
        ),
        "a pandas series unless all is zero": (
            "    return scores",
            "    import pandas as pd\n    return pd.Series(scores) if scores.any() else scores",
        ),
        "repeats capped at two": (
            "for term in query:",
            "for term in [t for t in dict.fromkeys(query) for _ in range(min(2, query.count(t)))]:",
        ),
        "the query is used up": ("for term in query:", "while query:\n        term = query.pop()"),
        "terms looked up in weights": ("index.get(term, [])", "index[term] if term in weights else []"),
    }
)
QUESTIONS["q3"].wrong.update(
    {
        "columns in dictionary order": ("sorted(index)", "sorted(index, key=str.lower)"),
        "columns from weights": (
            "enumerate(sorted(index))",
            "enumerate(t for t in sorted(weights) if t in index or True)",
            "index[term]",
            "index.get(term, [])",
            "len(index)",
            "len(weights)",
        ),
        "csr_matrix": ("return sparse.csr_array(", "return sparse.csr_matrix("),
        "the index is emptied": (
            "    shape = (num_documents, len(index))",
            "    shape = (num_documents, len(index))\n    index.clear()",
        ),
    }
)
QUESTIONS["q4"].wrong.update(
    {
        "N read off the postings": (
            "    return {\n        term: np.log1p(",
            "    num_documents = len({d for p in index.values() for d, _ in p})\n    return {\n        term: np.log1p(",
        ),
        "32 bits unless all is zero": (
            "    return scores",
            "    return scores.astype(np.float32) if scores.any() else scores",
        ),
        "mean of the lengths above 0": ("lengths.mean()", "lengths[lengths > 0].mean()"),
        "a float array is divided in place": (
            "    norm = k1 * (1 - b + b * lengths / lengths.mean())",
            "    lengths /= lengths.mean()\n    norm = k1 * (1 - b + b * lengths)",
        ),
        "b before k1": ("k1=1.5, b=0.75", "b=0.75, k1=1.5"),
        "terms looked up in weights": ("index.get(term, [])", "index[term] if term in weights else []"),
    }
)
QUESTIONS["q5"].wrong.update(
    {
        "other defaults": ("k1=1.5, b=0.75", "k1=1.2, b=0.5"),
        "b before k1": ("k1=1.5, b=0.75", "b=0.75, k1=1.5"),
        "zero taken for missing": (
            "    terms = sorted(index)",
            "    k1, b = k1 or 1.5, b or 0.75\n    terms = sorted(index)",
        ),
        "csr_matrix": ("return sparse.csr_array((entries", "return sparse.csr_matrix((entries"),
        "rows from weights": (
            "    terms = sorted(index)",
            "    index = {t: index.get(t, [(0, 0)]) for t in weights}\n    terms = sorted(index)",
        ),
        "k is 3 by default": ("query, k=10", "query, k=3"),
        "lists for arrays": (
            "    return best, scores[best]",
            "    return best.tolist(), scores[best].tolist()",
        ),
        "floats when nothing is found": (
            "    found = np.flatnonzero(scores > 0)",
            "    if not scores.any():\n        return np.array([]), np.array([])\n    found = np.flatnonzero(scores > 0)",
        ),
        "rows by position in the dict": ("rows[term] for term", "list(rows).index(term) for term"),
        "not zero for above zero": ("scores > 0)", "scores != 0)"),
        "an unstable sort": (
            "    best = found[np.lexsort((found, -scores[found]))][:k]",
            "    best = found[np.random.default_rng(0).permutation(len(found))]\n    best = best[np.argsort(-scores[best], kind='stable')][:k]",
        ),
        "ties lost at a wide cut": (
            "    if len(found) > k:",
            "    if len(found) > 2 * k:\n        found = np.sort(found[np.argpartition(-scores[found], 2 * k)[: 2 * k]])\n    if len(found) > k:",
        ),
        "unknown words enter rows": (
            "rows[term] for term in query if term in rows",
            "rows.setdefault(term, 0) for term in query if term in rows or rows.setdefault('zz', 0)",
        ),
        "the query is turned around": (
            "    scores = np.zeros(matrix.shape[1])",
            "    query.reverse()\n    scores = np.zeros(matrix.shape[1])",
        ),
    }
)
QUESTIONS["q6"].wrong.update(
    {
        "only some bad k": ("if k < 1:", "if k in (0, -1):"),
        "no error when nothing is relevant": (
            "    if k < 1:",
            "    if not relevant:\n        return 0.0\n    if k < 1:",
        ),
        "integers for 0": (
            "    if not relevant:\n        return 0.0\n",
            "    if not relevant:\n        return 0\n",
        ),
        "the ranking is used up": (
            "    for rank, document in enumerate(ranking, 1):\n        if document in relevant:\n            return 1 / rank",
            "    rank = 0\n    while ranking:\n        rank += 1\n        if ranking.pop(0) in relevant:\n            return 1 / rank",
        ),
        "ids as strings": ("sum(document in relevant", "sum(str(document) in relevant"),
        "AP cut at 20": (
            "    hits, total = 0, 0.0\n    for rank, document in enumerate(ranking, 1):",
            "    hits, total = 0, 0.0\n    for rank, document in enumerate(ranking[:20], 1):",
        ),
    }
)
QUESTIONS["q7"].wrong.update(
    {
        "exponential by default": ('def dcg(grades, gain="linear")', 'def dcg(grades, gain="exponential")'),
        "k is 5 by default": ("grades, k=10", "grades, k=5"),
        "no default cut": ("grades, k=10", "grades, k=None"),
        "zero before the checks": (
            "    ideal = dcg(",
            "    if max(grades.values(), default=0) <= 0:\n        return 0.0\n    ideal = dcg(",
        ),
        "empty rankings before the checks": (
            "    ideal = dcg(",
            "    if not ranking:\n        return 0.0\n    ideal = dcg(",
        ),
        "negative only if linear": ("if (grades < 0).any():", 'if gain == "linear" and (grades < 0).any():'),
        "gain as a part of the words": (
            'if gain not in ("linear", "exponential"):',
            'if gain not in "linear, exponential":',
        ),
        "None taken for linear": (
            'if gain not in ("linear", "exponential"):',
            'gain = gain or "linear"\n    if gain not in ("linear", "exponential"):',
        ),
        "grades as integers": ("np.asarray(grades, dtype=float)", "np.asarray(grades, dtype=int)"),
        "dcg cuts at ten": (
            "    grades = np.asarray(grades, dtype=float)",
            "    grades = np.asarray(grades, dtype=float)[:10]",
        ),
        "never more than ten": ("    ideal = dcg(", "    k = min(k, 10)\n    ideal = dcg("),
        "unjudged documents enter the grades": ("grades.get(document, 0)", "grades.setdefault(document, 0)"),
        "an integer 0": ("if ideal > 0 else 0.0", "if ideal > 0 else 0"),
    }
)
