package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.Columns;
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
 * Determines the columns of a stream before its first row: the fields that the search names, and
 * the mapped fields that it requests. The last column is {@link #OVERFLOW}. Used once.
 */
final class StreamColumnPlanner {
  /** The column for all values without a column of their own. */
  static final String OVERFLOW = "_rest";

  private final RequestedColumns requestedColumns;
  private final List<MappedFields> fieldsByIndex;
  private final Columns columns;
  private final List<String> patterns;
  private final @Nullable FetchSourceContext sourceFilter;
  private final boolean hasSource;

  private StreamColumnPlanner(
      Columns columns,
      RequestedColumns requested,
      SearchSourceBuilder source,
      Set<MappedFields> mapped) {
    this.columns = columns;
    this.requestedColumns = requested;
    this.fieldsByIndex = List.copyOf(mapped);
    this.patterns =
        Stream.of(source.fetchFields(), source.docValueFields())
            .flatMap(fields -> fields == null ? Stream.<FieldAndFormat>empty() : fields.stream())
            .map(field -> field.field)
            .toList();
    this.sourceFilter = source.fetchSource();
    this.hasSource = hasSource(source);
  }

  /** Returns true if hits have their source. */
  static boolean hasSource(SearchSourceBuilder source) {
    return source.fetchSource() == null
        ? source.storedFields() == null && !RequestedColumns.hasNamedFields(source)
        : source.fetchSource().fetchSource();
  }

  /**
   * Adds the columns after those that every hit has, and then allows no more.
   *
   * @param indices the searched indices
   */
  static void addColumns(
      Columns columns,
      RequestedColumns requested,
      SearchSourceBuilder source,
      Set<MappedFields> indices) {
    StreamColumnPlanner found = new StreamColumnPlanner(columns, requested, source, indices);
    found.addRequested();
    found.addMapped();
    columns.addUnnamed(OVERFLOW).declare(ColumnTypes.OBJECT, "");
    columns.close();
  }

  private void addRequested() {
    for (String name : requestedColumns.fieldNames()) {
      if (fieldsByIndex.stream().noneMatch(fields -> fields.hasSubfields(name))) {
        add(name);
      } else {
        addMatching(name + ".");
      }
    }
  }

  /** The name of an object stands for all of its fields. */
  private void addMatching(String prefix) {
    for (MappedFields fields : fieldsByIndex) {
      for (Map.Entry<String, MappedFields.MappedField> field : fields.entries()) {
        if (field.getKey().startsWith(prefix) && isRequested(field.getKey(), field.getValue())) {
          add(field.getKey());
        }
      }
    }
  }

  private void addMapped() {
    for (MappedFields fields : fieldsByIndex) {
      for (Map.Entry<String, MappedFields.MappedField> field : fields.entries()) {
        if (isRequested(field.getKey(), field.getValue())) {
          add(field.getKey());
        }
      }
    }
  }

  private boolean isRequested(String path, MappedFields.MappedField field) {
    return Regex.simpleMatch(patterns, path)
        || (hasSource && field.isInSource() && isInSource(path));
  }

  /** Returns true if the requested part of the source contains the path. */
  private boolean isInSource(String path) {
    FetchSourceContext filter = sourceFilter;
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

  /** Adds a field's column; a field with the name of {@link #OVERFLOW} goes into that column. */
  private void add(String path) {
    if (columns.get(path) == null && !path.equals(OVERFLOW)) {
      Column column = columns.getOrCreate(path);
      for (MappedFields fields : new LinkedHashSet<>(fieldsByIndex)) {
        SourceNode.declareColumn(column, path, fields);
      }
    }
  }
}
