"""Reads a stream of Arrow's and prints its rows as JSON: instants as numbers, the rest as it is.

Where pandas and polars are there, they must read it too.
"""

import json
import sys

import pyarrow as pa

with pa.OSFile(sys.argv[1]) as file:
    table = pa.ipc.open_stream(file).read_all()
table.validate(full=True)


def plain(column):
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.int64())
    if pa.types.is_list(kind) and pa.types.is_timestamp(kind.value_type):
        return column.cast(pa.list_(pa.int64()))
    return column


names = table.column_names
columns = [plain(column).to_pylist() for column in table.columns]
print(json.dumps({"names": names, "rows": [list(row) for row in zip(*columns)]}))

read = ["pyarrow " + pa.__version__]
try:
    import pandas

    assert table.to_pandas().shape == (table.num_rows, table.num_columns)
    read.append("pandas " + pandas.__version__)
except ModuleNotFoundError:
    pass
try:
    import polars

    assert polars.read_ipc_stream(sys.argv[1]).shape == (table.num_rows, table.num_columns)
    read.append("polars " + polars.__version__)
except ModuleNotFoundError:
    pass
print("read by " + ", ".join(read), file=sys.stderr)
