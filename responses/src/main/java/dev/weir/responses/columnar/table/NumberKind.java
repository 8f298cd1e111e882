package dev.weir.responses.columnar.table;

import dev.weir.core.reduce.columns.DateText;
import dev.weir.model.JsonBuffer;

/** What a value is that a row has as a number of 64 bits, with its JSON written only on demand. */
public enum NumberKind {
  /** A whole number. */
  LONG(ValueKinds.INTEGER) {
    @Override
    void write(long bits, JsonBuffer json) {
      json.writeNumber(bits);
    }
  },
  /** The bits of a finite double. */
  DOUBLE(ValueKinds.DECIMAL) {
    @Override
    void write(long bits, JsonBuffer json) {
      json.writeNumber(Double.longBitsToDouble(bits));
    }
  },
  /**
   * The bits of NaN or an infinity, whose JSON is a text, as on a node. A column of numbers has it
   * as one of them.
   */
  NON_FINITE(ValueKinds.STRING) {
    @Override
    void write(long bits, JsonBuffer json) {
      json.writeQuoted(Double.toString(Double.longBitsToDouble(bits)));
    }
  },
  /** 0 or 1. */
  BOOLEAN(ValueKinds.BOOLEAN) {
    @Override
    void write(long bits, JsonBuffer json) {
      json.writeAscii(bits == 0 ? "false" : "true");
    }
  },
  /** Milliseconds since the epoch, whose JSON is the {@link DateText text}. */
  DATE(ValueKinds.STRING) {
    @Override
    void write(long bits, JsonBuffer json) {
      byte[] text = new byte[DateText.LENGTH];
      DateText.write(bits, text, 0);
      json.writeQuoted(text, 0, text.length);
    }
  };

  private final int valueKind;

  NumberKind(int valueKind) {
    this.valueKind = valueKind;
  }

  /** Returns the {@link ValueKinds} of the JSON. */
  int valueKind() {
    return valueKind;
  }

  abstract void write(long bits, JsonBuffer json);
}
