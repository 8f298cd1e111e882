package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.ColumnTypes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Determines the types of bucket keys from the mappings of the searched indices. It looks the
 * mappings up on first use. Used by one thread.
 */
final class KeyTypeResolver {
  private final Supplier<List<MappedFields>> searchedMappings;
  private final Map<String, KeyType> typesByField = new HashMap<>();
  private @Nullable List<MappedFields> mappings;

  /** The type of a field's values as bucket keys. */
  enum KeyType {
    TEXT(ColumnTypes.KEYWORD, false),
    INTEGER(ColumnTypes.LONG, false),
    DECIMAL(ColumnTypes.DOUBLE, false),
    /** Numbers with a text form of true and false. */
    BOOLEAN(ColumnTypes.LONG, true),
    /** Numbers with a date as text form. */
    DATE(ColumnTypes.LONG, true),
    /** A field without a mapping, with an unknown type, or with types that no node can merge. */
    UNKNOWN(ColumnTypes.UNKNOWN, false);

    private final String columnType;
    private final boolean isShownAsText;

    KeyType(String type, boolean shown) {
      this.columnType = type;
      this.isShownAsText = shown;
    }

    /** Returns the type of a column of such keys. */
    String columnType() {
      return columnType;
    }

    /** Returns true if a node also writes such a value as text ({@code key_as_string}). */
    boolean isShownAsText() {
      return isShownAsText;
    }
  }

  /**
   * Creates a resolver for one search.
   *
   * @param searched the mappings of the indices that the search covers
   */
  KeyTypeResolver(Supplier<List<MappedFields>> searched) {
    this.searchedMappings = searched;
  }

  /** Returns the type of a field's values; null stands for no field. */
  KeyType typeOf(@Nullable String field) {
    return field == null ? KeyType.UNKNOWN : typesByField.computeIfAbsent(field, this::lookUp);
  }

  private KeyType lookUp(String field) {
    if (field.equals("_index") || field.equals("_id")) {
      return KeyType.TEXT;
    }
    KeyType all = null;
    for (MappedFields mapped : mappings()) {
      MappedFields.MappedField one = mapped.find(field);
      if (one != null) {
        KeyType kind = fromMappingType(one.type());
        all = all == null || all == kind ? kind : merge(all, kind);
      }
    }
    return all == null ? KeyType.UNKNOWN : all;
  }

  private static KeyType merge(KeyType one, KeyType other) {
    boolean numbers =
        (one == KeyType.INTEGER || one == KeyType.DECIMAL)
            && (other == KeyType.INTEGER || other == KeyType.DECIMAL);
    return numbers ? KeyType.DECIMAL : KeyType.UNKNOWN;
  }

  private List<MappedFields> mappings() {
    List<MappedFields> found = mappings;
    if (found == null) {
      found = searchedMappings.get();
      mappings = found;
    }
    return found;
  }

  private static KeyType fromMappingType(String type) {
    return switch (type) {
      case "keyword", "text", "constant_keyword", "wildcard", "ip", "flat_object" -> KeyType.TEXT;
      case "byte", "short", "integer", "long", "token_count" -> KeyType.INTEGER;
      case "half_float", "float", "double", "scaled_float" -> KeyType.DECIMAL;
      case "boolean" -> KeyType.BOOLEAN;
      case "date", "date_nanos" -> KeyType.DATE;
      default -> KeyType.UNKNOWN;
    };
  }
}
