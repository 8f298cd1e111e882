package dev.weir.responses.columnar.table;

import dev.weir.model.JsonBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of one row by column. The values are JSON in other objects' arrays and remain valid
 * until the row is cleared. Used by one thread.
 */
public final class Row {
  private Cell[] cells = {};
  private int[] presentColumn = {};
  private int count;

  /**
   * Values set in this generation or later are valid. A row has two generations, one for each part.
   */
  private long generation;

  private int partStart;

  /** The members that no column accepts, as an open JSON object. */
  private final JsonBuffer overflow = new JsonBuffer(64);

  /** The JSON of numbers. */
  private final JsonBuffer numbers = new JsonBuffer(64);

  /** The value of one column. */
  private static final class Cell {
    private static final byte[] NO_BYTES = new byte[0];

    private byte[] bytes = NO_BYTES;
    private int start;
    private int end;
    private int kinds;
    private long setGeneration;

    /** What {@link #number} is while its JSON is not written; null for any other value. */
    private @Nullable NumberKind numberKind;

    private long number;

    void set(byte[] bytes, int first, int behind, int of) {
      numberKind = null;
      this.bytes = bytes;
      start = first;
      end = behind;
      kinds = of;
    }
  }

  public Row() {
    this(2);
  }

  /**
   * Creates an empty row.
   *
   * @param now the first generation, at least 2
   */
  Row(long now) {
    this.generation = now;
    growTo(16);
  }

  /** Removes all values. */
  public void clear() {
    generation += 2;
    partStart = 0;
    count = 0;
    overflow.clear();
    numbers.clear();
  }

  /** Adds a member that no column accepts. */
  public void addOverflow(String name, byte[] bytes, int first, int behind) {
    overflow.write(overflow.length() == 0 ? '{' : ',');
    overflow.writeQuoted(name);
    overflow.write(':');
    overflow.write(bytes, first, behind - first);
  }

  /** Returns true if there is a member that no column accepts. */
  public boolean hasOverflow() {
    return overflow.length() > 0;
  }

  /**
   * Returns the members that no column accepts as an object; call it after all members are added.
   */
  public JsonBuffer finishOverflow() {
    overflow.write('}');
    return overflow;
  }

  /** Starts the second part of the row. */
  public void beginSecondPart() {
    partStart = 1;
  }

  /** Returns true if a column's value comes from the first part. */
  public boolean isFromFirstPart(Column column) {
    return partStart == 1
        && column.index() < cells.length
        && cells[column.index()].setGeneration == generation;
  }

  /** Returns the number of columns with a value. */
  public int count() {
    return count;
  }

  /** Returns the index of the i-th column with a value, in the order in which values were added. */
  public int presentColumn(int i) {
    return presentColumn[i];
  }

  public boolean hasValue(int column) {
    return column < cells.length && cells[column].setGeneration >= generation;
  }

  /** Returns what a column's number is; null if its value is JSON. */
  public @Nullable NumberKind numberKind(int column) {
    return cells[column].numberKind;
  }

  /** Returns the bits of a column's number. */
  public long number(int column) {
    return cells[column].number;
  }

  /** Adds a number; the column must have no value yet. */
  public void addNumber(Column column, NumberKind kind, long bits) {
    Cell cell = put(column, Cell.NO_BYTES, 0, 0, kind.valueKind());
    cell.numberKind = kind;
    cell.number = bits;
    if (kind == NumberKind.NON_FINITE) {
      column.recordNonFinite();
    } else {
      column.recordKinds(kind.valueKind());
    }
  }

  /** Writes the JSON of a number, where it is needed. */
  private Cell written(int column) {
    Cell cell = cells[column];
    NumberKind kind = cell.numberKind;
    if (kind != null) {
      int since = numbers.length();
      kind.write(cell.number, numbers);
      cell.set(numbers.bytes(), since, numbers.length(), cell.kinds);
    }
    return cell;
  }

  public byte[] bytes(int column) {
    return written(column).bytes;
  }

  public int start(int column) {
    return written(column).start;
  }

  public int end(int column) {
    return written(column).end;
  }

  /** Returns the {@link ValueKinds} of a column's value. */
  public int kinds(int column) {
    return cells[column].kinds;
  }

  /** Adds the bytes that a buffer received since a given length. */
  public void add(Column column, JsonBuffer json, int since, int of) {
    add(column, json.bytes(), since, json.length(), of);
  }

  /** Adds a value; if the column has one already, its value becomes a list of both. */
  public void add(Column column, byte[] bytes, int first, int behind, int of) {
    if (hasValue(column.index())) {
      addToList(column, bytes, first, behind, of);
    } else {
      put(column, bytes, first, behind, of);
      column.recordKinds(of);
    }
  }

  private Cell put(Column column, byte[] bytes, int first, int behind, int of) {
    int i = column.index();
    if (i >= cells.length) {
      growTo(i + 1);
    }
    Cell cell = cells[i];
    cell.setGeneration = generation + partStart;
    cell.set(bytes, first, behind, of);
    presentColumn[count++] = i;
    return cell;
  }

  private void addToList(Column column, byte[] bytes, int first, int behind, int of) {
    Cell cell = written(column.index());
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

  /** Returns true if a list contains only blanks and comments. */
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
