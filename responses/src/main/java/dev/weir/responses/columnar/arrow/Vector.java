package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Buffer;
import dev.weir.rest.AnswerForm.Outputs;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;

/** The values of one column while they are gathered. Used by one thread. */
abstract class Vector {
  private final Outputs outputs;
  private @Nullable Buffer validity;
  private int length;
  private int nulls;

  Vector(Outputs outputs) {
    this.outputs = outputs;
  }

  /** A vector of values that are no lists. */
  static Vector of(ArrowType type, Scalars scalars, Outputs outputs, Dictionary words) {
    return switch (type) {
      case INT8, INT16, INT32, INT64, UINT64, MILLIS, NANOS, FLOAT32, FLOAT64 ->
          new FixedVector(type, scalars, outputs);
      case BOOL -> new BitVector(scalars, outputs);
      case WORD -> new WordVector(scalars, outputs, words);
      case TEXT, JSON -> new TextVector(type, scalars, outputs);
      case NONE -> new NoneVector(outputs);
    };
  }

  int length() {
    return length;
  }

  /** A value that is none. */
  final void addNull() {
    if (nulls++ == 0) {
      Buffer seen = new Buffer(outputs.open(Buffer.ROOM));
      for (int i = 0; i < length; i++) {
        seen.putBit(true);
      }
      validity = seen;
    }
    count(false);
    putNothing();
  }

  /** A value that fits, of the {@link dev.weir.responses.columnar.table.Kinds} given. */
  final void add(byte[] json, int from, int to, int kinds) {
    if (!offer(json, from, to, kinds)) {
      throw new IllegalStateException(
          "got a value that does not fit (expected: those that were looked at before)");
    }
  }

  /** A value, if it fits; whether it does. */
  final boolean offer(byte[] json, int from, int to, int kinds) {
    if (!put(json, from, to, kinds)) {
      return false;
    }
    count(true);
    return true;
  }

  private void count(boolean valid) {
    length++;
    Buffer seen = validity;
    if (seen != null) {
      seen.putBit(valid);
    }
  }

  /** Puts what stands for no value. */
  abstract void putNothing();

  /** Puts a value if it fits; whether it does. */
  abstract boolean put(byte[] json, int from, int to, int kinds);

  /** Whether a value fits that is no list. */
  abstract boolean fits(byte[] json, int from, int to, int kind);

  /** Whether a value fits, or all that is in a list where it is one. */
  boolean allFit(byte[] json, int from, int to, int kinds) {
    return fits(json, from, to, kinds);
  }

  /** Adds itself to a batch, in the order of Arrow's layout. */
  void addTo(Body body) {
    body.node(length, nulls);
    Buffer seen = validity;
    body.buffer(seen == null ? BytesArray.EMPTY : seen.bytes());
  }

  /** Values of a width. */
  private static final class FixedVector extends Vector {
    private final ArrowType type;
    private final int width;
    private final Scalars scalars;
    private final Buffer values;

    FixedVector(ArrowType type, Scalars scalars, Outputs outputs) {
      super(outputs);
      this.type = type;
      this.width = type.width();
      this.scalars = scalars;
      this.values = new Buffer(outputs.open(Buffer.ROOM));
    }

    @Override
    void putNothing() {
      values.put(0, width);
    }

    @Override
    boolean fits(byte[] json, int from, int to, int kind) {
      return scalars.read(type, json, from, to, kind);
    }

    @Override
    boolean put(byte[] json, int from, int to, int kinds) {
      if (!fits(json, from, to, kinds)) {
        return false;
      }
      values.put(scalars.number(), width);
      return true;
    }

    @Override
    void addTo(Body body) {
      super.addTo(body);
      body.buffer(values.bytes());
    }
  }

  /** Truths. */
  private static final class BitVector extends Vector {
    private final Scalars scalars;
    private final Buffer values;

    BitVector(Scalars scalars, Outputs outputs) {
      super(outputs);
      this.scalars = scalars;
      this.values = new Buffer(outputs.open(Buffer.ROOM));
    }

    @Override
    void putNothing() {
      values.putBit(false);
    }

    @Override
    boolean fits(byte[] json, int from, int to, int kind) {
      return scalars.read(ArrowType.BOOL, json, from, to, kind);
    }

    @Override
    boolean put(byte[] json, int from, int to, int kinds) {
      if (!fits(json, from, to, kinds)) {
        return false;
      }
      values.putBit(scalars.number() != 0);
      return true;
    }

    @Override
    void addTo(Body body) {
      super.addTo(body);
      body.buffer(values.bytes());
    }
  }

  /** Numbers of words in a dictionary. */
  private static final class WordVector extends Vector {
    private final Scalars scalars;
    private final Buffer values;
    private final Dictionary words;

    WordVector(Scalars scalars, Outputs outputs, Dictionary words) {
      super(outputs);
      this.scalars = scalars;
      this.words = words;
      this.values = new Buffer(outputs.open(Buffer.ROOM));
    }

    @Override
    void putNothing() {
      values.put(0, ArrowType.WORD.width());
    }

    @Override
    boolean fits(byte[] json, int from, int to, int kind) {
      return scalars.read(ArrowType.WORD, json, from, to, kind);
    }

    @Override
    boolean put(byte[] json, int from, int to, int kinds) {
      if (!fits(json, from, to, kinds)) {
        return false;
      }
      int word = words.number(scalars.text(), scalars.textFrom(), scalars.textLength());
      values.put(word, ArrowType.WORD.width());
      return true;
    }

    @Override
    void addTo(Body body) {
      super.addTo(body);
      body.buffer(values.bytes());
    }
  }

  /** No values at all: there is nothing to keep. */
  private static final class NoneVector extends Vector {
    NoneVector(Outputs outputs) {
      super(outputs);
    }

    @Override
    void putNothing() {}

    @Override
    boolean fits(byte[] json, int from, int to, int kind) {
      return false;
    }

    @Override
    boolean put(byte[] json, int from, int to, int kinds) {
      return false;
    }

    @Override
    void addTo(Body body) {
      body.node(length(), length());
    }
  }
}
