package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.BufferedBytesWriter;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.responses.columnar.table.ValueKinds;
import dev.weir.rest.SearchResponseFormat.OutputFactory;

/**
 * Lists: the elements in a vector of their own, and the end offset of each list. Used by one
 * thread.
 */
final class ListVector extends ColumnVector {
  private static final int OFFSET_WIDTH = 4;

  private final ColumnVector elements;
  private final BufferedBytesWriter offsets;
  private final JsonCursor cursor = new JsonCursor();

  ListVector(ColumnVector elements, OutputFactory outputs) {
    super(outputs);
    this.elements = elements;
    this.offsets = new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    offsets.put(0, OFFSET_WIDTH);
  }

  @Override
  void putNullPlaceholder() {
    offsets.put(elements.length(), OFFSET_WIDTH);
  }

  @Override
  boolean canFit(byte[] json, int from, int to, int kind) {
    return false; // a list in a list
  }

  @Override
  boolean putIfFits(byte[] json, int from, int to, int kinds) {
    if (!canFitAll(json, from, to, kinds)) {
      return false;
    }
    put(json, from, to, kinds);
    return true;
  }

  /** Appends a list; a plain value counts as a list of one element. */
  @Override
  void put(byte[] json, int from, int to, int kinds) {
    if (ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
      cursor.reset(json, from, to);
      cursor.expect('[');
      while (cursor.peek() != ']') {
        int kind = cursor.skip();
        if (kind == ValueKinds.NULL) {
          elements.addNull();
        } else {
          elements.addChecked(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd(), kind);
        }
        cursor.takeComma();
      }
    } else {
      elements.addChecked(json, from, to, kinds);
    }
    offsets.put(elements.length(), OFFSET_WIDTH);
  }

  /** Appends a number as a list of one element. */
  @Override
  boolean putNumber(NumberKind kind, long bits) {
    if (!elements.addNumber(kind, bits)) {
      return false;
    }
    offsets.put(elements.length(), OFFSET_WIDTH);
    return true;
  }

  @Override
  boolean canFitAll(byte[] json, int from, int to, int kinds) {
    if (!ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
      return elements.canFit(json, from, to, kinds);
    }
    if (ValueKinds.hasAny(kinds, ValueKinds.NESTED_LIST) && !elements.acceptsLists()) {
      return false;
    }
    cursor.reset(json, from, to);
    cursor.expect('[');
    while (cursor.peek() != ']') {
      int kind = cursor.skip();
      if (kind != ValueKinds.NULL
          && !elements.canFit(json, cursor.tokenStart(), cursor.tokenEnd(), kind)) {
        return false;
      }
      cursor.takeComma();
    }
    return true;
  }

  @Override
  int kindsOf(int kinds) {
    return elements.kindsOf(kinds);
  }

  @Override
  void appendTo(RecordBatchBody body) {
    super.appendTo(body);
    body.addBuffer(offsets.bytes());
    elements.appendTo(body);
  }
}
