package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.Columns;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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
  private final FieldPatterns patterns;
  private final FieldPatterns includes;
  private final FieldPatterns excludes;
  private final boolean hasSource;

  /** The fields that were compared with the patterns; the mappings of many indices share most. */
  private final Set<ComparedField> compared = new HashSet<>();

  private record ComparedField(String path, boolean isInSource) {}

  private StreamColumnPlanner(
      Columns columns,
      RequestedColumns requested,
      SearchSourceBuilder source,
      Set<MappedFields> mapped) {
    this.columns = columns;
    this.requestedColumns = requested;
    this.fieldsByIndex = List.copyOf(mapped);
    FieldPatterns.Comparisons comparisons = new FieldPatterns.Comparisons();
    this.patterns =
        FieldPatterns.ofFields(
            Stream.of(source.fetchFields(), source.docValueFields())
                .flatMap(
                    fields -> fields == null ? Stream.<FieldAndFormat>empty() : fields.stream())
                .map(field -> field.field)
                .toList(),
            comparisons);
    FetchSourceContext filter = source.fetchSource();
    this.includes =
        filter == null
            ? FieldPatterns.NONE
            : FieldPatterns.ofDocument(filter.includes(), comparisons);
    this.excludes =
        filter == null
            ? FieldPatterns.NONE
            : FieldPatterns.ofDocument(filter.excludes(), comparisons);
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
   * @throws IllegalArgumentException if there are too many columns or patterns
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
        if (field.getKey().startsWith(prefix)) {
          addIfRequested(field.getKey(), field.getValue());
        }
      }
    }
  }

  private void addMapped() {
    for (MappedFields fields : fieldsByIndex) {
      for (Map.Entry<String, MappedFields.MappedField> field : fields.entries()) {
        addIfRequested(field.getKey(), field.getValue());
      }
    }
  }

  private void addIfRequested(String path, MappedFields.MappedField field) {
    if (columns.get(path) == null
        && compared.add(new ComparedField(path, field.isInSource()))
        && isRequested(path, field)) {
      add(path);
    }
  }

  private boolean isRequested(String path, MappedFields.MappedField field) {
    return patterns.matches(path) || (hasSource && field.isInSource() && isInSource(path));
  }

  /** Returns true if the requested part of the source contains the path. */
  private boolean isInSource(String path) {
    return (includes.isEmpty() || includes.matches(path)) && !excludes.matches(path);
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
