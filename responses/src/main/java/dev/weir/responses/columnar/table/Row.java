package dev.weir.responses.columnar.table;

import java.util.Arrays;

/**
 * The values of one row, by column: JSON that lies in arrays of others, valid until the row is
 * cleared. Used by one thread.
 */
public final class Row {
  private Cell[] cells = {};
  private int[] touched = {};
  private int count;

  /** What was set at this time or later counts; two parts of a row follow one another. */
  private long now;

  private int part;

  /** The members of what no column takes, each behind a comma. */
  private final JsonBytes rest = new JsonBytes(64);

  /** The value of one column. */
  private static final class Cell {
    private static final byte[] NOTHING = new byte[0];

    private byte[] data = NOTHING;
    private int from;
    private int to;
    private int kinds;
    private long setAt;

    void set(byte[] bytes, int first, int behind, int of) {
      data = bytes;
      from = first;
      to = behind;
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
    this.now = now;
    grow(16);
  }

  /** Has no values any more. */
  public void clear() {
    now += 2;
    part = 0;
    count = 0;
    rest.clear();
  }

  /** Keeps what no column takes. */
  public void addRest(String name, byte[] bytes, int first, int behind) {
    rest.write(rest.length() == 0 ? '{' : ',');
    rest.quote(name);
    rest.write(':');
    rest.write(bytes, first, behind - first);
  }

  /** Whether there is something that no column takes. */
  public boolean hasRest() {
    return rest.length() > 0;
  }

  /** What no column takes, as an object; nothing more is added to it. */
  public JsonBytes endRest() {
    rest.write('}');
    return rest;
  }

  /** From now on its second part is given. */
  public void secondPart() {
    part = 1;
  }

  /** Whether a column's value was given in the first part. */
  public boolean isOfFirstPart(Column column) {
    return part == 1 && column.index() < cells.length && cells[column.index()].setAt == now;
  }

  /** How many columns have a value. */
  public int count() {
    return count;
  }

  /** The index of a column that has a value, in the order in which they were given. */
  public int touched(int i) {
    return touched[i];
  }

  /** Whether a column has a value. */
  public boolean has(int column) {
    return column < cells.length && cells[column].setAt >= now;
  }

  public byte[] data(int column) {
    return cells[column].data;
  }

  public int from(int column) {
    return cells[column].from;
  }

  public int to(int column) {
    return cells[column].to;
  }

  /** The {@link Kinds} of a column's value. */
  public int kinds(int column) {
    return cells[column].kinds;
  }

  /** Gives a column what was put into JSON bytes since they had a length. */
  public void add(Column column, JsonBytes json, int since, int of) {
    add(column, json.bytes(), since, json.length(), of);
  }

  /** Gives a column a value; where it has one already, it has a list of both then. */
  public void add(Column column, byte[] bytes, int first, int behind, int of) {
    int i = column.index();
    if (i >= cells.length) {
      grow(i + 1);
    }
    Cell cell = cells[i];
    if (cell.setAt >= now) {
      addMore(column, bytes, first, behind, of);
      return;
    }
    cell.setAt = now + part;
    cell.set(bytes, first, behind, of);
    touched[count++] = i;
    column.saw(of);
  }

  private void addMore(Column column, byte[] bytes, int first, int behind, int of) {
    Cell cell = cells[column.index()];
    JsonBytes both = new JsonBytes(cell.to - cell.from + behind - first + 3);
    both.write('[');
    elements(both, cell.data, cell.from, cell.to, cell.kinds);
    elements(both, bytes, first, behind, of);
    both.write(']');
    cell.set(both.bytes(), 0, both.length(), cell.kinds | of | Kinds.LIST);
    column.saw(cell.kinds);
  }

  private static void elements(JsonBytes list, byte[] bytes, int first, int behind, int of) {
    int inner = Kinds.any(of, Kinds.LIST) ? 1 : 0;
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
    cursor.over(list, first, behind);
    cursor.take('[');
    return cursor.peek() == ']';
  }

  private void grow(int least) {
    int old = cells.length;
    cells = Arrays.copyOf(cells, Math.max(least, old * 2));
    for (int i = old; i < cells.length; i++) {
      cells[i] = new Cell();
    }
    touched = Arrays.copyOf(touched, cells.length);
  }
}
