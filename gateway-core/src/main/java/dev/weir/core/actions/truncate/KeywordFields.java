package dev.weir.core.actions.truncate;

import java.util.HashMap;
import java.util.Map;
import org.apache.lucene.index.IndexWriter;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;

/**
 * The keyword fields of a mapping in which a long value makes its document fail: those that are
 * indexed or have doc values, and that do not ignore long values long before. Immutable.
 */
final class KeywordFields {
  /** The longest term that an index takes, in bytes of UTF-8. */
  static final int MAX_TERM_BYTES = IndexWriter.MAX_TERM_LENGTH;

  /**
   * What is left of a value that a normalizer changes before it is indexed: lower case may take one
   * and a half times as many bytes, folding to ASCII less than that.
   */
  private static final int MAX_NORMALIZED_BYTES = MAX_TERM_BYTES / 3 * 2;

  /** A path, its entry in the map and its field. */
  private static final int FIELD_BYTES = 150;

  /** The most bytes of UTF-8 that a UTF-16 unit can take. */
  private static final int MAX_BYTES_PER_UNIT = 3;

  /**
   * What a field does with values.
   *
   * @param ignoreAbove a value of more UTF-16 units than that is not indexed, and does no harm
   * @param maxBytes the most bytes of UTF-8 that are left of a value that is too long
   */
  record Field(int ignoreAbove, int maxBytes) {}

  private final Map<String, Field> byPath = new HashMap<>();

  private KeywordFields() {}

  /** Those of a mapping. */
  static KeywordFields of(@Nullable MappingMetadata mapping) {
    KeywordFields fields = new KeywordFields();
    if (mapping != null) {
      fields.addAll("", mapping.sourceAsMap().get("properties"));
    }
    return fields;
  }

  /** Whether there are none. */
  boolean isEmpty() {
    return byPath.isEmpty();
  }

  /** About what these take on the heap. */
  int heapBytes() {
    return byPath.size() * FIELD_BYTES;
  }

  /** The field of a dotted path; null where a value does no harm. */
  @Nullable Field field(String path) {
    return byPath.get(path);
  }

  private void addAll(String parent, @Nullable Object properties) {
    if (properties instanceof Map<?, ?> named) {
      named.forEach((name, mapped) -> {
        if (mapped instanceof Map<?, ?> field) {
          add(parent.isEmpty() ? name.toString() : parent + "." + name, field);
        }
      });
    }
  }

  private void add(String path, Map<?, ?> field) {
    Object type = field.get("type");
    switch (type == null ? "object" : type.toString()) {
      case "object", "nested" -> addObject(path, field);
      case "keyword" -> addKeyword(path, field);
      default -> {
        // takes values of any length, or is none of a document's own strings
      }
    }
  }

  private void addObject(String path, Map<?, ?> field) {
    if (isEnabled(field.get("enabled"))) {
      addAll(path, field.get("properties"));
    }
  }

  private void addKeyword(String path, Map<?, ?> field) {
    int ignoreAbove =
        field.get("ignore_above") instanceof Number units ? units.intValue() : Integer.MAX_VALUE;
    if ((isEnabled(field.get("index")) || isEnabled(field.get("doc_values")))
        && ignoreAbove > MAX_TERM_BYTES / MAX_BYTES_PER_UNIT) {
      boolean normalized =
          field.get("normalizer") instanceof String normalizer && !normalizer.equals("default");
      byPath.put(path, new Field(ignoreAbove, normalized ? MAX_NORMALIZED_BYTES : MAX_TERM_BYTES));
    }
  }

  /** Whether something is so that is so by default. */
  private static boolean isEnabled(@Nullable Object said) {
    return said == null || Boolean.parseBoolean(said.toString());
  }
}
