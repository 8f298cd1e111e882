package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.BufferedBytesWriter;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;

/** The collected values of one column in Arrow's layout. Used by one thread. */
abstract class ColumnVector {
  private final OutputFactory outputs;
  private @Nullable BufferedBytesWriter validity;
  private int length;
  private int nullCount;

  ColumnVector(OutputFactory outputs) {
    this.outputs = outputs;
  }

  /** Creates a vector of values that are neither lists nor objects. */
  static ColumnVector create(
      ArrowType type, ScalarReader scalars, OutputFactory outputs, WordDictionary words) {
    return switch (type) {
      case INT8, INT16, INT32, INT64, UINT64, MILLIS, NANOS, FLOAT32, FLOAT64 ->
          new FixedVector(type, scalars, outputs);
      case BOOL -> new BitVector(scalars, outputs);
      case DICTIONARY_TEXT -> new DictionaryVector(scalars, outputs, words);
      case TEXT, JSON -> new TextVector(type, scalars, outputs);
      case NULL -> new NullVector(outputs);
      case POINT, STRUCT -> throw new IllegalStateException("got " + type + " as a scalar");
    };
  }

  int length() {
    return length;
  }

  final void addNull() {
    if (nullCount++ == 0) {
      BufferedBytesWriter seen =
          new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
      for (int i = 0; i < length; i++) {
        seen.putBit(true);
      }
      validity = seen;
    }
    countValue(false);
    putNullPlaceholder();
  }

  /**
   * Adds a value that fits.
   *
   * @param kinds the value's {@link dev.weir.responses.columnar.table.ValueKinds}
   */
  final void add(byte[] json, int from, int to, int kinds) {
    if (!addIfFits(json, from, to, kinds)) {
      throw new IllegalStateException(
          "got a value that does not fit (expected: those that were looked at before)");
    }
  }

  /** Adds a value for which {@link #canFitAll} returned true; only scalars are read once more. */
  final void addChecked(byte[] json, int from, int to, int kinds) {
    put(json, from, to, kinds);
    countValue(true);
  }

  /** Adds a value if it fits; returns true if it does. */
  final boolean addIfFits(byte[] json, int from, int to, int kinds) {
    if (!putIfFits(json, from, to, kinds)) {
      return false;
    }
    countValue(true);
    return true;
  }

  /**
   * Adds a number without its JSON; returns false, and adds nothing, if only the JSON says whether
   * and how it fits.
   */
  final boolean addNumber(NumberKind kind, long bits) {
    if (!putNumber(kind, bits)) {
      return false;
    }
    countValue(true);
    return true;
  }

  /** Appends a number if the vector has values of its kind; returns true if it does. */
  boolean putNumber(NumberKind kind, long bits) {
    return false;
  }

  private void countValue(boolean valid) {
    length++;
    BufferedBytesWriter seen = validity;
    if (seen != null) {
      seen.putBit(valid);
    }
  }

  /** Appends the placeholder of a null. */
  abstract void putNullPlaceholder();

  /** Appends a value if it fits; returns true if it does. */
  abstract boolean putIfFits(byte[] json, int from, int to, int kinds);

  /** Appends a value that fits. Lists and objects don't look again whether all of it does. */
  void put(byte[] json, int from, int to, int kinds) {
    if (!putIfFits(json, from, to, kinds)) {
      throw new IllegalStateException("got a value that does not fit (expected: a checked one)");
    }
  }

  /** Returns true if a value fits that is no list. */
  abstract boolean canFit(byte[] json, int from, int to, int kind);

  /** Returns true if a value fits; for a list, if all of its elements fit. */
  boolean canFitAll(byte[] json, int from, int to, int kinds) {
    return canFit(json, from, to, kinds);
  }

  /**
   * Returns the kinds of a value in the sense of this vector: a point may have the notation of a
   * list.
   *
   * @param kinds the {@link dev.weir.responses.columnar.table.ValueKinds} of the notation
   */
  int kindsOf(int kinds) {
    return kinds;
  }

  /** Returns whether a value that is no list may have the notation of one. */
  boolean acceptsLists() {
    return false;
  }

  /** Appends the vector's buffers to a batch, in the order of Arrow's layout. */
  void appendTo(RecordBatchBody body) {
    body.addNode(length, nullCount);
    BufferedBytesWriter seen = validity;
    body.addBuffer(seen == null ? BytesArray.EMPTY : seen.bytes());
  }

  /** Values of a fixed width. */
  private static final class FixedVector extends ColumnVector {
    private final ArrowType type;
    private final int width;
    private final ScalarReader scalars;
    private final BufferedBytesWriter values;

    FixedVector(ArrowType type, ScalarReader scalars, OutputFactory outputs) {
      super(outputs);
      this.type = type;
      this.width = type.byteWidth();
      this.scalars = scalars;
      this.values = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    }

    @Override
    void putNullPlaceholder() {
      values.put(0, width);
    }

    @Override
    boolean canFit(byte[] json, int from, int to, int kind) {
      return scalars.read(type, json, from, to, kind);
    }

    @Override
    boolean putIfFits(byte[] json, int from, int to, int kinds) {
      if (!canFit(json, from, to, kinds)) {
        return false;
      }
      values.put(scalars.number(), width);
      return true;
    }

    @Override
    boolean putNumber(NumberKind kind, long bits) {
      boolean fits =
          switch (type) {
            case INT8 -> kind == NumberKind.LONG && bits == (byte) bits;
            case INT16 -> kind == NumberKind.LONG && bits == (short) bits;
            case INT32 -> kind == NumberKind.LONG && bits == (int) bits;
            case INT64 -> kind == NumberKind.LONG;
            case FLOAT32, FLOAT64 -> kind == NumberKind.DOUBLE || kind == NumberKind.NON_FINITE;
            case MILLIS -> kind == NumberKind.DATE && scalars.isDateFormatKnown();
            case UINT64, NANOS, BOOL, DICTIONARY_TEXT, TEXT, POINT, STRUCT, JSON, NULL -> false;
          };
      if (fits) {
        values.put(
            type == ArrowType.FLOAT32
                ? Float.floatToRawIntBits((float) Double.longBitsToDouble(bits))
                : bits,
            width);
      }
      return fits;
    }

    @Override
    void appendTo(RecordBatchBody body) {
      super.appendTo(body);
      body.addBuffer(values.bytes());
    }
  }

  /** Booleans. */
  private static final class BitVector extends ColumnVector {
    private final ScalarReader scalars;
    private final BufferedBytesWriter values;

    BitVector(ScalarReader scalars, OutputFactory outputs) {
      super(outputs);
      this.scalars = scalars;
      this.values = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    }

    @Override
    void putNullPlaceholder() {
      values.putBit(false);
    }

    @Override
    boolean canFit(byte[] json, int from, int to, int kind) {
      return scalars.read(ArrowType.BOOL, json, from, to, kind);
    }

    @Override
    boolean putIfFits(byte[] json, int from, int to, int kinds) {
      if (!canFit(json, from, to, kinds)) {
        return false;
      }
      values.putBit(scalars.number() != 0);
      return true;
    }

    @Override
    boolean putNumber(NumberKind kind, long bits) {
      if (kind != NumberKind.BOOLEAN) {
        return false;
      }
      values.putBit(bits != 0);
      return true;
    }

    @Override
    void appendTo(RecordBatchBody body) {
      super.appendTo(body);
      body.addBuffer(values.bytes());
    }
  }

  /** Indices into a dictionary. */
  private static final class DictionaryVector extends ColumnVector {
    private final ScalarReader scalars;
    private final BufferedBytesWriter values;
    private final WordDictionary dictionary;

    DictionaryVector(ScalarReader scalars, OutputFactory outputs, WordDictionary words) {
      super(outputs);
      this.scalars = scalars;
      this.dictionary = words;
      this.values = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    }

    @Override
    void putNullPlaceholder() {
      values.put(0, ArrowType.DICTIONARY_TEXT.byteWidth());
    }

    @Override
    boolean canFit(byte[] json, int from, int to, int kind) {
      return scalars.read(ArrowType.DICTIONARY_TEXT, json, from, to, kind);
    }

    @Override
    boolean putIfFits(byte[] json, int from, int to, int kinds) {
      if (!canFit(json, from, to, kinds)) {
        return false;
      }
      int word = dictionary.numberOf(scalars.text(), scalars.textOffset(), scalars.textLength());
      values.put(word, ArrowType.DICTIONARY_TEXT.byteWidth());
      return true;
    }

    @Override
    void appendTo(RecordBatchBody body) {
      super.appendTo(body);
      body.addBuffer(values.bytes());
    }
  }

  /** Only nulls: there is nothing to store. */
  private static final class NullVector extends ColumnVector {
    NullVector(OutputFactory outputs) {
      super(outputs);
    }

    @Override
    void putNullPlaceholder() {}

    @Override
    boolean canFit(byte[] json, int from, int to, int kind) {
      return false;
    }

    @Override
    boolean putIfFits(byte[] json, int from, int to, int kinds) {
      return false;
    }

    @Override
    void appendTo(RecordBatchBody body) {
      body.addNode(length(), length());
    }
  }
}
