package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Buffer;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.rest.AnswerForm.Outputs;

/** Lists: their elements in a vector of its own, and where each list ends. Used by one thread. */
final class ListVector extends Vector {
  private static final int OFFSET = 4;

  private final Vector elements;
  private final Buffer ends;
  private final JsonCursor cursor = new JsonCursor();

  ListVector(Vector elements, Outputs outputs) {
    super(outputs);
    this.elements = elements;
    this.ends = new Buffer(outputs.open(Buffer.ROOM));
    ends.put(0, OFFSET);
  }

  @Override
  void putNothing() {
    ends.put(elements.length(), OFFSET);
  }

  @Override
  boolean fits(byte[] json, int from, int to, int kind) {
    return false; // a list in a list
  }

  /** Puts a list, or a list of what is none. */
  @Override
  boolean put(byte[] json, int from, int to, int kinds) {
    if (!allFit(json, from, to, kinds)) {
      return false;
    }
    if (Kinds.any(kinds, Kinds.LIST)) {
      cursor.over(json, from, to);
      cursor.take('[');
      while (cursor.peek() != ']') {
        int kind = cursor.skip();
        if (kind == Kinds.NULL) {
          elements.addNull();
        } else {
          elements.add(cursor.bytes(), cursor.from(), cursor.to(), kind);
        }
        cursor.takeComma();
      }
    } else {
      elements.add(json, from, to, kinds);
    }
    ends.put(elements.length(), OFFSET);
    return true;
  }

  @Override
  boolean allFit(byte[] json, int from, int to, int kinds) {
    if (!Kinds.any(kinds, Kinds.LIST)) {
      return elements.fits(json, from, to, kinds);
    }
    if (Kinds.any(kinds, Kinds.DEEP)) {
      return false;
    }
    cursor.over(json, from, to);
    cursor.take('[');
    while (cursor.peek() != ']') {
      int kind = cursor.skip();
      if (kind != Kinds.NULL && !elements.fits(json, cursor.from(), cursor.to(), kind)) {
        return false;
      }
      cursor.takeComma();
    }
    return true;
  }

  @Override
  void addTo(Body body) {
    super.addTo(body);
    body.buffer(ends.bytes());
    elements.addTo(body);
  }
}
