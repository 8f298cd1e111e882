package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.Types;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.regex.Regex;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.subphase.FetchSourceContext;
import org.opensearch.search.fetch.subphase.FieldAndFormat;

/**
 * Finds the columns of rows before there is one: those that the search names, and those of the
 * fields in the mappings that it asks for; the last one is {@link #REST}. Used once.
 */
final class StreamedColumns {
  /** The column of what gets into no other. */
  static final String REST = "_rest";

  private final AskedColumns asked;
  private final List<MappedFields> mapped;
  private final Columns columns;
  private final List<String> patterns;
  private final @Nullable FetchSourceContext documents;
  private final boolean readsDocuments;

  private StreamedColumns(
      Columns columns, AskedColumns asked, SearchSourceBuilder source, Set<MappedFields> mapped) {
    this.columns = columns;
    this.asked = asked;
    this.mapped = List.copyOf(mapped);
    this.patterns =
        Stream.of(source.fetchFields(), source.docValueFields())
            .flatMap(fields -> fields == null ? Stream.<FieldAndFormat>empty() : fields.stream())
            .map(field -> field.field)
            .toList();
    this.documents = source.fetchSource();
    this.readsDocuments = readsDocuments(source);
  }

  /** Whether hits have their documents. */
  static boolean readsDocuments(SearchSourceBuilder source) {
    return source.fetchSource() == null
        ? source.storedFields() == null && !AskedColumns.namesFields(source)
        : source.fetchSource().fetchSource();
  }

  /**
   * Adds the columns that come behind those that every hit has, and closes them.
   *
   * @param indices that are searched
   */
  static void addTo(
      Columns columns, AskedColumns asked, SearchSourceBuilder source, Set<MappedFields> indices) {
    StreamedColumns found = new StreamedColumns(columns, asked, source, indices);
    found.addNamed();
    found.addMapped();
    columns.apart(REST).declare(Types.OBJECT, "");
    columns.close();
  }

  private void addNamed() {
    for (String name : asked.names()) {
      if (mapped.stream().noneMatch(fields -> fields.isObject(name))) {
        add(name);
      } else {
        addBelow(name + ".");
      }
    }
  }

  /** An object that is named is its fields. */
  private void addBelow(String prefix) {
    for (MappedFields fields : mapped) {
      for (Map.Entry<String, MappedFields.Field> field : fields.all()) {
        if (field.getKey().startsWith(prefix) && isAsked(field.getKey(), field.getValue())) {
          add(field.getKey());
        }
      }
    }
  }

  private void addMapped() {
    for (MappedFields fields : mapped) {
      for (Map.Entry<String, MappedFields.Field> field : fields.all()) {
        if (isAsked(field.getKey(), field.getValue())) {
          add(field.getKey());
        }
      }
    }
  }

  private boolean isAsked(String path, MappedFields.Field field) {
    return Regex.simpleMatch(patterns, path)
        || (readsDocuments && field.written() && isInDocuments(path));
  }

  /** Whether the documents have it, as far as they are asked for. */
  private boolean isInDocuments(String path) {
    FetchSourceContext filter = documents;
    return filter == null
        || ((filter.includes().length == 0 || matches(filter.includes(), path))
            && !matches(filter.excludes(), path));
  }

  private static boolean matches(String[] filters, String path) {
    return Arrays.stream(filters)
        .anyMatch(filter ->
            Regex.simpleMatch(filter, path)
                || Regex.simpleMatch(filter + ".*", path)
                || filter.startsWith(path + "."));
  }

  /** Adds a field's column; a field that is called as {@link #REST} is gets into that. */
  private void add(String path) {
    if (columns.get(path) == null && !path.equals(REST)) {
      Column column = columns.of(path);
      for (MappedFields fields : new LinkedHashSet<>(mapped)) {
        SourceNode.declare(column, path, fields);
      }
    }
  }
}
