package dev.weir.responses.columnar.table;

/** A table without columns and rows. Immutable. */
public enum NoRows implements RowSource {
  INSTANCE;

  @Override
  public Columns columns() {
    return new Columns();
  }

  @Override
  public void forEachRow(RowSink sink) {}
}
