package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Buffer;
import dev.weir.rest.AnswerForm.Outputs;

/** Texts, one behind the other, and where each ends. Used by one thread. */
final class TextVector extends Vector {
  private static final int OFFSET = 4;

  private final ArrowType type;
  private final Scalars scalars;
  private final Buffer ends;
  private final Buffer texts;
  private int end;

  TextVector(ArrowType type, Scalars scalars, Outputs outputs) {
    super(outputs);
    this.type = type;
    this.scalars = scalars;
    this.texts = new Buffer(outputs.open(Buffer.ROOM));
    this.ends = new Buffer(outputs.open(Buffer.ROOM));
    ends.put(0, OFFSET);
  }

  @Override
  void putNothing() {
    ends.put(end, OFFSET);
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
    int length = scalars.textLength();
    texts.put(scalars.text(), scalars.textFrom(), length);
    end = Math.addExact(end, length);
    ends.put(end, OFFSET);
    return true;
  }

  @Override
  void addTo(Body body) {
    super.addTo(body);
    body.buffer(ends.bytes());
    body.buffer(texts.bytes());
  }
}
