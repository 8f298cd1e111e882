package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Types;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the values of fields are as keys of buckets, by the mappings of the indices that a search
 * goes to, which are looked up when it is first asked for. Used by one thread.
 */
final class FieldTypes {
  private final Supplier<List<MappedFields>> searched;
  private final Map<String, Kind> known = new HashMap<>();
  private @Nullable List<MappedFields> mappings;

  /** What a field's values are as keys. */
  enum Kind {
    TEXT(Types.KEYWORD, false),
    INTEGER(Types.LONG, false),
    DECIMAL(Types.DOUBLE, false),
    /** Numbers that are shown as true and false. */
    TRUTH(Types.LONG, true),
    /** Numbers that are shown as dates. */
    DATE(Types.LONG, true),
    /** In no mapping, or of types that no node puts together, or of one that is not known. */
    UNKNOWN(Types.UNKNOWN, false);

    private final String type;
    private final boolean shown;

    Kind(String type, boolean shown) {
      this.type = type;
      this.shown = shown;
    }

    /** The type of a column of such keys. */
    String type() {
      return type;
    }

    /** Whether a node writes such a value as text too. */
    boolean shownAsText() {
      return shown;
    }
  }

  /**
   * Makes them.
   *
   * @param searched the mappings of the indices that the search goes to
   */
  FieldTypes(Supplier<List<MappedFields>> searched) {
    this.searched = searched;
  }

  /** What a field's values are; null stands for no field. */
  Kind of(@Nullable String field) {
    return field == null ? Kind.UNKNOWN : known.computeIfAbsent(field, this::looked);
  }

  private Kind looked(String field) {
    if (field.equals("_index") || field.equals("_id")) {
      return Kind.TEXT;
    }
    Kind all = null;
    for (MappedFields mapped : mappings()) {
      MappedFields.Field one = mapped.at(field);
      if (one != null) {
        Kind kind = kind(one.type());
        all = all == null || all == kind ? kind : together(all, kind);
      }
    }
    return all == null ? Kind.UNKNOWN : all;
  }

  private static Kind together(Kind one, Kind other) {
    boolean numbers =
        (one == Kind.INTEGER || one == Kind.DECIMAL)
            && (other == Kind.INTEGER || other == Kind.DECIMAL);
    return numbers ? Kind.DECIMAL : Kind.UNKNOWN;
  }

  private List<MappedFields> mappings() {
    List<MappedFields> found = mappings;
    if (found == null) {
      found = searched.get();
      mappings = found;
    }
    return found;
  }

  private static Kind kind(String type) {
    return switch (type) {
      case "keyword", "text", "constant_keyword", "wildcard", "ip", "flat_object" -> Kind.TEXT;
      case "byte", "short", "integer", "long", "token_count" -> Kind.INTEGER;
      case "half_float", "float", "double", "scaled_float" -> Kind.DECIMAL;
      case "boolean" -> Kind.TRUTH;
      case "date", "date_nanos" -> Kind.DATE;
      default -> Kind.UNKNOWN;
    };
  }
}
