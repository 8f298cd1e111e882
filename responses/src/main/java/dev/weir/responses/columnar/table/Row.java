package dev.weir.responses.columnar.table;

import java.util.Arrays;

/**
 * The values of one row, by column: JSON that lies in arrays of others, valid until the row is
 * cleared. Used by one thread.
 */
public final class Row {
  private Cell[] cells = {};
  private int[] presentColumn = {};
  private int count;

  /** What was set at this time or later counts; two parts of a row follow one another. */
  private long generation;

  private int partStart;

  /** The members of what no column takes, each behind a comma. */
  private final JsonBuffer overflow = new JsonBuffer(64);

  /** The value of one column. */
  private static final class Cell {
    private static final byte[] NO_BYTES = new byte[0];

    private byte[] bytes = NO_BYTES;
    private int start;
    private int end;
    private int kinds;
    private long setGeneration;

    void set(byte[] bytes, int first, int behind, int of) {
      this.bytes = bytes;
      start = first;
      end = behind;
      kinds = of;
    }
  }

  /** Makes an empty one. */
  public Row() {
    this(2);
  }

  /**
   * Makes an empty one.
   *
   * @param now its time, more than one
   */
  Row(long now) {
    this.generation = now;
    growTo(16);
  }

  /** Has no values any more. */
  public void clear() {
    generation += 2;
    partStart = 0;
    count = 0;
    overflow.clear();
  }

  /** Keeps what no column takes. */
  public void addOverflow(String name, byte[] bytes, int first, int behind) {
    overflow.write(overflow.length() == 0 ? '{' : ',');
    overflow.writeQuoted(name);
    overflow.write(':');
    overflow.write(bytes, first, behind - first);
  }

  /** Whether there is something that no column takes. */
  public boolean hasOverflow() {
    return overflow.length() > 0;
  }

  /** What no column takes, as an object; nothing more is added to it. */
  public JsonBuffer finishOverflow() {
    overflow.write('}');
    return overflow;
  }

  /** From now on its second part is given. */
  public void beginSecondPart() {
    partStart = 1;
  }

  /** Whether a column's value was given in the first part. */
  public boolean isFromFirstPart(Column column) {
    return partStart == 1
        && column.index() < cells.length
        && cells[column.index()].setGeneration == generation;
  }

  /** How many columns have a value. */
  public int count() {
    return count;
  }

  /** The index of a column that has a value, in the order in which they were given. */
  public int presentColumn(int i) {
    return presentColumn[i];
  }

  /** Whether a column has a value. */
  public boolean hasValue(int column) {
    return column < cells.length && cells[column].setGeneration >= generation;
  }

  public byte[] bytes(int column) {
    return cells[column].bytes;
  }

  public int start(int column) {
    return cells[column].start;
  }

  public int end(int column) {
    return cells[column].end;
  }

  /** The {@link ValueKinds} of a column's value. */
  public int kinds(int column) {
    return cells[column].kinds;
  }

  /** Gives a column what was put into JSON bytes since they had a length. */
  public void add(Column column, JsonBuffer json, int since, int of) {
    add(column, json.bytes(), since, json.length(), of);
  }

  /** Gives a column a value; where it has one already, it has a list of both then. */
  public void add(Column column, byte[] bytes, int first, int behind, int of) {
    int i = column.index();
    if (i >= cells.length) {
      growTo(i + 1);
    }
    Cell cell = cells[i];
    if (cell.setGeneration >= generation) {
      addToList(column, bytes, first, behind, of);
      return;
    }
    cell.setGeneration = generation + partStart;
    cell.set(bytes, first, behind, of);
    presentColumn[count++] = i;
    column.recordKinds(of);
  }

  private void addToList(Column column, byte[] bytes, int first, int behind, int of) {
    Cell cell = cells[column.index()];
    JsonBuffer both = new JsonBuffer(cell.end - cell.start + behind - first + 3);
    both.write('[');
    copyElements(both, cell.bytes, cell.start, cell.end, cell.kinds);
    copyElements(both, bytes, first, behind, of);
    both.write(']');
    cell.set(both.bytes(), 0, both.length(), cell.kinds | of | ValueKinds.LIST);
    column.recordKinds(cell.kinds);
  }

  private static void copyElements(JsonBuffer list, byte[] bytes, int first, int behind, int of) {
    int inner = ValueKinds.hasAny(of, ValueKinds.LIST) ? 1 : 0;
    if (inner == 1 && isEmpty(bytes, first, behind)) {
      return;
    }
    if (list.length() > 1) {
      list.write(',');
    }
    list.write(bytes, first + inner, behind - first - 2 * inner);
  }

  /** Whether nothing is in a list but blanks and comments. */
  private static boolean isEmpty(byte[] list, int first, int behind) {
    JsonCursor cursor = new JsonCursor();
    cursor.reset(list, first, behind);
    cursor.expect('[');
    return cursor.peek() == ']';
  }

  private void growTo(int least) {
    int old = cells.length;
    cells = Arrays.copyOf(cells, Math.max(least, old * 2));
    for (int i = old; i < cells.length; i++) {
      cells[i] = new Cell();
    }
    presentColumn = Arrays.copyOf(presentColumn, cells.length);
  }
}
