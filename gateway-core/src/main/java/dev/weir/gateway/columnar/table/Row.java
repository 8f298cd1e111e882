package dev.weir.gateway.columnar.table;

import java.util.Arrays;

/**
 * The values of one row, by column: JSON that lies in arrays of others, valid until the row is
 * cleared. Used by one thread.
 */
public final class Row {
  private static final byte[] NOTHING = new byte[0];

  private byte[][] data = new byte[16][];
  private int[] from = new int[16];
  private int[] to = new int[16];
  private int[] kinds = new int[16];
  private int[] setAt = new int[16];
  private int[] touched = new int[16];
  private int count;

  /** What was set at this time or later counts; two parts of a row follow one another. */
  private int now = 2;

  private int part;

  /** The members of what no column takes, each behind a comma. */
  private final JsonBytes rest = new JsonBytes(64);

  /** Makes an empty one. */
  public Row() {
    Arrays.fill(data, NOTHING);
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
    return part == 1 && column.index() < setAt.length && setAt[column.index()] == now;
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
    return column < setAt.length && setAt[column] >= now;
  }

  public byte[] data(int column) {
    return data[column];
  }

  public int from(int column) {
    return from[column];
  }

  public int to(int column) {
    return to[column];
  }

  /** The {@link Kinds} of a column's value. */
  public int kinds(int column) {
    return kinds[column];
  }

  /** Gives a column what was put into JSON bytes since they had a length. */
  public void add(Column column, JsonBytes json, int since, int of) {
    add(column, json.bytes(), since, json.length(), of);
  }

  /** Gives a column a value; where it has one already, it has a list of both then. */
  public void add(Column column, byte[] bytes, int first, int behind, int of) {
    int i = column.index();
    if (i >= setAt.length) {
      grow(i + 1);
    }
    if (setAt[i] >= now) {
      JsonBytes both = new JsonBytes(to[i] - from[i] + behind - first + 3);
      both.write('[');
      elements(both, data[i], from[i], to[i], kinds[i]);
      elements(both, bytes, first, behind, of);
      both.write(']');
      set(i, both.bytes(), 0, both.length());
      kinds[i] |= of | Kinds.LIST;
    } else {
      setAt[i] = now + part;
      touched[count++] = i;
      set(i, bytes, first, behind);
      kinds[i] = of;
    }
    column.saw(kinds[i]);
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

  private void set(int i, byte[] bytes, int first, int behind) {
    data[i] = bytes;
    from[i] = first;
    to[i] = behind;
  }

  private void grow(int least) {
    int size = Math.max(least, setAt.length * 2);
    int old = data.length;
    data = Arrays.copyOf(data, size);
    Arrays.fill(data, old, size, NOTHING);
    from = Arrays.copyOf(from, size);
    to = Arrays.copyOf(to, size);
    kinds = Arrays.copyOf(kinds, size);
    setAt = Arrays.copyOf(setAt, size);
    touched = Arrays.copyOf(touched, size);
  }
}
