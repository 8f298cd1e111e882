package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.arrow.ValueLayout.MemberLayout;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.ValueKinds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The members of all objects of a column: those that mappings declare, and those that values have.
 * After all values were seen, it determines the layout that accepts them. Used by one thread.
 */
final class ObjectShape {
  private final Column objects;
  private final int depth;
  private final MemberBudget budget;
  private final List<Member> members = new ArrayList<>();
  private final MemberFinder finder = new MemberFinder();
  private final JsonCursor cursor = new JsonCursor();
  private long objectsSeen;

  /** Whether an object has a member twice, or there are too many members. */
  private boolean isIrregular;

  /** Starts without values. */
  ObjectShape(Column objects, MemberBudget budget) {
    this(objects, 1, budget);
  }

  private ObjectShape(Column objects, int depth, MemberBudget budget) {
    this.objects = objects;
    this.depth = depth;
    this.budget = budget;
    addDeclared();
  }

  /** Adds the members that mappings have declared since. */
  private void addDeclared() {
    for (String key : List.copyOf(objects.members().keySet())) {
      if (!finder.contains(key)) {
        add(key);
      }
    }
  }

  private @Nullable Member add(String key) {
    if (depth > ValueLayout.MAX_DEPTH || !budget.take()) {
      isIrregular = true;
      return null;
    }
    Member added = new Member(key, objects.member(key));
    members.add(added);
    finder.add(key);
    return added;
  }

  /**
   * Sees a value of the column.
   *
   * @param kinds the {@link ValueKinds} of the value; whatever is no object is ignored
   */
  void see(byte[] json, int from, int to, int kinds) {
    if (kinds == ValueKinds.OBJECT) {
      seeObject(json, from, to);
    } else if (ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
      JsonCursor list = new JsonCursor();
      list.reset(json, from, to);
      list.expect('[');
      while (list.peek() != ']') {
        if (list.skip() == ValueKinds.OBJECT) {
          seeObject(json, list.tokenStart(), list.tokenEnd());
        }
        list.takeComma();
      }
    }
  }

  private void seeObject(byte[] json, int from, int to) {
    objectsSeen++;
    cursor.reset(json, from, to);
    cursor.expect('{');
    finder.beginObject();
    while (cursor.peek() != '}' && !isIrregular) {
      cursor.readKey();
      Member member = findMember(json, cursor.tokenStart(), cursor.tokenEnd());
      int kinds = cursor.skip();
      if (member != null) {
        isIrregular = member.lastObject == objectsSeen;
        member.lastObject = objectsSeen;
        member.see(json, cursor.tokenStart(), cursor.tokenEnd(), kinds);
      }
      cursor.takeComma();
    }
  }

  private @Nullable Member findMember(byte[] json, int from, int to) {
    int number = finder.find(json, from, to);
    return number == MemberFinder.UNKNOWN
        ? add(finder.textOf(json, from, to))
        : members.get(number);
  }

  /** Returns the layout of the objects, which is JSON if they have none of their own. */
  ValueLayout layout(boolean isList) {
    addDeclared();
    if (isIrregular || members.isEmpty()) {
      return ValueLayout.JSON;
    }
    List<MemberLayout> layouts = new ArrayList<>();
    for (Member member : members) {
      layouts.add(new MemberLayout(member.key, member.column, member.layout()));
    }
    return new ValueLayout(ArrowType.STRUCT, isList, layouts);
  }

  /** A member of the objects, and its values so far. */
  private final class Member {
    private final String key;
    private final Column column;
    private final ScalarReader scalars;
    private final GeoPointReader points = new GeoPointReader();
    private @Nullable ObjectShape inner;
    private long lastObject;
    private int kinds;

    /** The declared type that all values were tested against; null before the first. */
    private @Nullable ArrowType testedType;

    private boolean fitsDeclared = true;
    private boolean fitsLong = true;
    private boolean fitsDouble = true;

    Member(String key, Column column) {
      this.key = key;
      this.column = column;
      this.scalars = new ScalarReader(new FormattedDateReader(column));
    }

    private ArrowType declaredType() {
      return column.isDeclared() ? ArrowType.fromColumn(column) : ArrowType.NULL;
    }

    void see(byte[] json, int from, int to, int written) {
      ArrowType declared = declaredType();
      fitsDeclared = fitsDeclared && (testedType == null || testedType == declared);
      testedType = declared;
      int seen = declared == ArrowType.POINT ? GeoPointReader.kindsOf(written) : written;
      kinds |= seen;
      if (!ValueKinds.hasAny(seen, ValueKinds.LIST)) {
        seeOne(json, from, to, seen);
      } else if (!ValueKinds.hasAny(seen, ValueKinds.NESTED_LIST) || declared == ArrowType.POINT) {
        JsonCursor list = new JsonCursor();
        list.reset(json, from, to);
        list.expect('[');
        while (list.peek() != ']') {
          int kind = list.skip();
          seeOne(json, list.tokenStart(), list.tokenEnd(), kind);
          list.takeComma();
        }
      }
    }

    private void seeOne(byte[] json, int from, int to, int kind) {
      if (kind == ValueKinds.NULL) {
        return;
      }
      ArrowType declared = declaredType();
      if (declared == ArrowType.POINT) {
        fitsDeclared = fitsDeclared && points.read(json, from, to, kind);
      } else if (kind == ValueKinds.OBJECT) {
        fitsDeclared = fitsDeclared && declared == ArrowType.STRUCT;
        inner().see(json, from, to, kind);
      } else {
        fitsDeclared = fitsDeclared && scalars.read(declared, json, from, to, kind);
        fitsLong = fitsLong && scalars.read(ArrowType.INT64, json, from, to, kind);
        fitsDouble = fitsDouble && scalars.read(ArrowType.FLOAT64, json, from, to, kind);
      }
    }

    private ObjectShape inner() {
      ObjectShape known = inner;
      if (known == null) {
        known = new ObjectShape(column, depth + 1, budget);
        inner = known;
      }
      return known;
    }

    ValueLayout layout() {
      ArrowType declared = declaredType();
      boolean isList = ValueKinds.hasAny(kinds, ValueKinds.LIST);
      int values = kinds & ~(ValueKinds.NULL | ValueKinds.LIST);
      boolean isTested = testedType == null || testedType == declared;
      if (declared == ArrowType.POINT && fitsDeclared && isTested) {
        return ValueLayout.of(declared, isList);
      }
      if (ValueKinds.hasAny(values, ValueKinds.NESTED_LIST)) {
        return ValueLayout.JSON;
      }
      if (values == ValueKinds.OBJECT || (values == 0 && declared == ArrowType.STRUCT)) {
        return declared == ArrowType.JSON
            ? ValueLayout.JSON // an object with a type of its own
            : inner().layout(isList || column.type().equals(ColumnTypes.NESTED));
      }
      return switch (declared) {
        case JSON ->
            values == ValueKinds.STRING ? ValueLayout.of(ArrowType.TEXT, isList) : ValueLayout.JSON;
        case STRUCT, POINT, NULL -> ofKinds(values, isList);
        case DICTIONARY_TEXT ->
            fitsDeclared && isTested
                ? ValueLayout.of(ArrowType.TEXT, isList)
                : ofKinds(values, isList);
        default ->
            fitsDeclared && isTested ? ValueLayout.of(declared, isList) : ofKinds(values, isList);
      };
    }

    /** Returns the layout of values that no mapping declares, or that do not fit it. */
    private ValueLayout ofKinds(int values, boolean isList) {
      boolean areNumbers =
          values != 0 && ValueKinds.hasOnly(values, ValueKinds.INTEGER | ValueKinds.DECIMAL);
      if (values == ValueKinds.INTEGER && fitsLong) {
        return ValueLayout.of(ArrowType.INT64, isList);
      }
      if (areNumbers && fitsDouble) {
        return ValueLayout.of(ArrowType.FLOAT64, isList);
      }
      return switch (values) {
        case 0 -> ValueLayout.of(isList ? ArrowType.TEXT : ArrowType.NULL, isList);
        case ValueKinds.BOOLEAN -> ValueLayout.of(ArrowType.BOOL, isList);
        case ValueKinds.STRING -> ValueLayout.of(ArrowType.TEXT, isList);
        default -> ValueLayout.JSON;
      };
    }
  }
}
