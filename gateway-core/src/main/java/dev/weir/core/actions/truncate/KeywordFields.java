package dev.weir.core.actions.truncate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;

/**
 * The fields of a mapping whose long values make a document fail: keywords that are indexed or have
 * doc values, and that have no smaller {@code ignore_above}; fields with such a keyword as a
 * subfield, or with {@code copy_to} such a keyword; and those that dynamic templates would map so.
 * Immutable.
 */
final class KeywordFields {
  /**
   * The truncated length of a value that a normalizer changes before it is indexed: lower case may
   * need one and a half times as many bytes, folding to ASCII fewer.
   */
  private static final int MAX_NORMALIZED_BYTES = ValueLimit.MAX_TERM_BYTES / 3 * 2;

  /** The heap bytes of a path, its map entry and its field. */
  private static final int FIELD_BYTES = 150;

  /** The most bytes of UTF-8 that a UTF-16 unit can take. */
  static final int MAX_BYTES_PER_UNIT = 3;

  private final Map<String, TruncatedField> byPath = new HashMap<>();

  /** The other paths of the mapping, whose values do no harm. */
  private final Set<String> harmless = new HashSet<>();

  private final UnmappedFields unmapped;

  private KeywordFields(@Nullable Map<String, Object> mapping) {
    Map<String, Map<?, ?>> leaves = new HashMap<>();
    this.unmapped = UnmappedFields.of(mapping);
    if (mapping != null) {
      collect("", mapping.get("properties"), leaves);
    }
    leaves.forEach((path, field) -> {
      TruncatedField limits = limits(field, target -> limitOfCopy(target, leaves));
      if ("flat_object".equals(field.get("type"))) {
        unmapped.addFlatObject(path);
      }
      if (limits == null) {
        harmless.add(path);
      } else {
        byPath.put(path, limits);
      }
    });
  }

  /** Reads the fields of a mapping. */
  static KeywordFields of(@Nullable MappingMetadata mapping) {
    return new KeywordFields(mapping == null ? null : mapping.sourceAsMap());
  }

  /** Returns whether there are no such fields. */
  boolean isEmpty() {
    return byPath.isEmpty() && unmapped.isEmpty();
  }

  /** Returns the approximate heap size in bytes. */
  int heapBytes() {
    return (byPath.size() + harmless.size()) * FIELD_BYTES + unmapped.heapBytes();
  }

  /** Returns the field of a dotted path; null if its values do no harm. */
  @Nullable TruncatedField field(String path) {
    TruncatedField known = byPath.get(path);
    return known != null || harmless.contains(path)
        ? known
        : unmapped.field(path, this::limitOfMappedCopy);
  }

  private void collect(String parent, @Nullable Object properties, Map<String, Map<?, ?>> leaves) {
    if (properties instanceof Map<?, ?> named) {
      named.forEach((name, mapped) -> {
        if (mapped instanceof Map<?, ?> field) {
          String path = parent.isEmpty() ? name.toString() : parent + "." + name;
          Object type = field.get("type");
          if (type == null || type.equals("object") || type.equals("nested")) {
            unmapped.addObject(path, field);
            if (isEnabled(field.get("enabled"))) {
              collect(path, field.get("properties"), leaves);
            }
          } else {
            leaves.put(path, field);
          }
        }
      });
    }
  }

  /** What a value is limited to that is copied to a field. */
  interface CopyLimits {
    @Nullable ValueLimit limitOf(String target);
  }

  private @Nullable ValueLimit limitOfCopy(String target, Map<String, Map<?, ?>> leaves) {
    Map<?, ?> field = leaves.get(target);
    if (field != null) {
      return ValueLimit.merge(limitOf(field), limitOfSubfields(field));
    }
    TruncatedField made = unmapped.field(target, copied -> null);
    return made == null ? null : made.all();
  }

  /** A copy of a copy is not made, so only the target itself counts. */
  private @Nullable ValueLimit limitOfMappedCopy(String target) {
    TruncatedField field = byPath.get(target);
    return field == null ? null : field.all();
  }

  /** Returns the limits of a field's mapping; null for none. */
  static @Nullable TruncatedField limits(Map<?, ?> field, CopyLimits copies) {
    ValueLimit own = limitOf(field);
    ValueLimit all = ValueLimit.merge(own, limitOfSubfields(field));
    for (Object target : list(field.get("copy_to"))) {
      all = ValueLimit.merge(all, copies.limitOf(target.toString()));
    }
    return all == null ? null : new TruncatedField(own, all, UntruncatedReason.SHARED);
  }

  private static @Nullable ValueLimit limitOfSubfields(Map<?, ?> field) {
    ValueLimit all = null;
    if (field.get("fields") instanceof Map<?, ?> subfields) {
      for (Object subfield : subfields.values()) {
        if (subfield instanceof Map<?, ?> mapped) {
          all = ValueLimit.merge(all, limitOf(mapped));
        }
      }
    }
    return all;
  }

  /** Returns the limit of a keyword field; null for other types and short values. */
  private static @Nullable ValueLimit limitOf(Map<?, ?> field) {
    int ignoreAbove =
        field.get("ignore_above") instanceof Number units ? units.intValue() : Integer.MAX_VALUE;
    if (!"keyword".equals(field.get("type"))
        || !(isEnabled(field.get("index")) || isEnabled(field.get("doc_values")))
        || ignoreAbove <= ValueLimit.MAX_TERM_BYTES / MAX_BYTES_PER_UNIT) {
      return null;
    }
    boolean normalized =
        field.get("normalizer") instanceof String normalizer && !normalizer.equals("default");
    return new ValueLimit(
        ignoreAbove, normalized ? MAX_NORMALIZED_BYTES : ValueLimit.MAX_TERM_BYTES);
  }

  /** Returns a setting of one value or several as a list. */
  private static List<Object> list(@Nullable Object setting) {
    return switch (setting) {
      case null -> List.of();
      case List<?> several -> new ArrayList<>(several);
      default -> List.of(setting);
    };
  }

  /** Returns whether a setting that defaults to true is true. */
  private static boolean isEnabled(@Nullable Object setting) {
    return setting == null || Boolean.parseBoolean(setting.toString());
  }
}
