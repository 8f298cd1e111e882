package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.BufferedBytesWriter;
import dev.weir.rest.SearchResponseFormat.OutputFactory;

/** Texts: their bytes in one buffer, and the end offset of each text. Used by one thread. */
final class TextVector extends ColumnVector {
  private static final int OFFSET_WIDTH = 4;

  private final ArrowType type;
  private final ScalarReader scalars;
  private final BufferedBytesWriter offsets;
  private final BufferedBytesWriter texts;
  private int end;

  TextVector(ArrowType type, ScalarReader scalars, OutputFactory outputs) {
    super(outputs);
    this.type = type;
    this.scalars = scalars;
    this.texts = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    this.offsets = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    offsets.put(0, OFFSET_WIDTH);
  }

  @Override
  void putNullPlaceholder() {
    offsets.put(end, OFFSET_WIDTH);
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
    int length = scalars.textLength();
    texts.put(scalars.text(), scalars.textOffset(), length);
    end = Math.addExact(end, length);
    offsets.put(end, OFFSET_WIDTH);
    return true;
  }

  @Override
  void appendTo(RecordBatchBody body) {
    super.appendTo(body);
    body.addBuffer(offsets.bytes());
    body.addBuffer(texts.bytes());
  }
}
