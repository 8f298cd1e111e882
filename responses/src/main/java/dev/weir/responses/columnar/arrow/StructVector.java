package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.arrow.ValueLayout.MemberLayout;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.ValueKinds;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.util.List;

/**
 * Objects: each member in a vector of its own. An object fits if it has no other members, none
 * twice, and if the value of each fits. Used by one thread.
 */
final class StructVector extends ColumnVector {
  private final ColumnVector[] members;
  private final long[] lastObject;
  private final MemberFinder finder = new MemberFinder();
  private final JsonCursor cursor = new JsonCursor();
  private long objects;

  StructVector(List<MemberLayout> layouts, OutputFactory outputs) {
    super(outputs);
    members = new ColumnVector[layouts.size()];
    lastObject = new long[members.length];
    for (int i = 0; i < members.length; i++) {
      MemberLayout member = layouts.get(i);
      finder.add(member.key());
      members[i] =
          VectorFactory.create(member.layout(), member.column(), outputs, new WordDictionary());
    }
  }

  @Override
  void putNullPlaceholder() {
    for (ColumnVector member : members) {
      member.addNull();
    }
  }

  @Override
  boolean canFit(byte[] json, int from, int to, int kind) {
    if (kind != ValueKinds.OBJECT) {
      return false;
    }
    objects++;
    beginObject(json, from, to);
    while (cursor.peek() != '}') {
      int number = readMember();
      if (number == MemberFinder.UNKNOWN || lastObject[number] == objects) {
        return false;
      }
      lastObject[number] = objects;
      int kinds = cursor.skip();
      if (kinds != ValueKinds.NULL && !fits(members[number], kinds)) {
        return false;
      }
      cursor.takeComma();
    }
    return true;
  }

  private boolean fits(ColumnVector member, int kinds) {
    return member.canFitAll(
        cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd(), member.kindsOf(kinds));
  }

  @Override
  boolean putIfFits(byte[] json, int from, int to, int kinds) {
    if (!canFit(json, from, to, kinds)) {
      return false;
    }
    put(json, from, to, kinds);
    return true;
  }

  @Override
  void put(byte[] json, int from, int to, int kinds) {
    beginObject(json, from, to);
    while (cursor.peek() != '}') {
      ColumnVector member = members[readMember()];
      int of = cursor.skip();
      if (of == ValueKinds.NULL) {
        member.addNull();
      } else {
        member.addChecked(json, cursor.tokenStart(), cursor.tokenEnd(), member.kindsOf(of));
      }
      cursor.takeComma();
    }
    for (ColumnVector member : members) {
      if (member.length() == length()) {
        member.addNull();
      }
    }
  }

  private void beginObject(byte[] json, int from, int to) {
    cursor.reset(json, from, to);
    cursor.expect('{');
    finder.beginObject();
  }

  private int readMember() {
    cursor.readKey();
    return finder.find(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
  }

  @Override
  void appendTo(RecordBatchBody body) {
    super.appendTo(body);
    for (ColumnVector member : members) {
      member.appendTo(body);
    }
  }
}
