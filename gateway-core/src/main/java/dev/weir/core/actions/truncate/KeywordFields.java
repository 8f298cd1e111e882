package dev.weir.core.actions.truncate;

import java.util.HashMap;
import java.util.Map;
import org.apache.lucene.index.IndexWriter;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;

/**
 * The keyword fields of a mapping whose long values make a document fail: those that are indexed or
 * have doc values, and that have no smaller {@code ignore_above}. Immutable.
 */
final class KeywordFields {
  /** The longest term that an index takes, in bytes of UTF-8. */
  static final int MAX_TERM_BYTES = IndexWriter.MAX_TERM_LENGTH;

  /**
   * The truncated length of a value that a normalizer changes before it is indexed: lower case may
   * need one and a half times as many bytes, folding to ASCII fewer.
   */
  private static final int MAX_NORMALIZED_BYTES = MAX_TERM_BYTES / 3 * 2;

  /** The heap bytes of a path, its map entry and its field. */
  private static final int FIELD_BYTES = 150;

  /** The most bytes of UTF-8 that a UTF-16 unit can take. */
  private static final int MAX_BYTES_PER_UNIT = 3;

  /**
   * The limits of a field.
   *
   * @param ignoreAbove a value of more UTF-16 units is not indexed, and does no harm
   * @param maxBytes the UTF-8 bytes that remain of a value that is too long
   */
  record Field(int ignoreAbove, int maxBytes) {}

  private final Map<String, Field> byPath = new HashMap<>();

  private KeywordFields() {}

  /** Reads the fields of a mapping. */
  static KeywordFields of(@Nullable MappingMetadata mapping) {
    KeywordFields fields = new KeywordFields();
    if (mapping != null) {
      fields.addAll("", mapping.sourceAsMap().get("properties"));
    }
    return fields;
  }

  /** Returns whether there are no such fields. */
  boolean isEmpty() {
    return byPath.isEmpty();
  }

  /** Returns the approximate heap size in bytes. */
  int heapBytes() {
    return byPath.size() * FIELD_BYTES;
  }

  /** Returns the field of a dotted path; null if its values do no harm. */
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
        // accepts values of any length, or has no strings of documents
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

  /** Returns whether a setting that defaults to true is true. */
  private static boolean isEnabled(@Nullable Object setting) {
    return setting == null || Boolean.parseBoolean(setting.toString());
  }
}
