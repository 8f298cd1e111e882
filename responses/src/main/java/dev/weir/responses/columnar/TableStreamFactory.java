package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.regex.Regex;
import org.opensearch.rest.RestRequest;
import org.opensearch.search.builder.SearchSourceBuilder;

/** Opens streams of rows, with column types from the newest view's mappings. Safe on any thread. */
public final class TableStreamFactory {
  /** The bound of mappings that are read; fields of further indices get no column. */
  static final int MAX_INDICES = 100;

  private final MappedFieldsCache mappings;

  /** A format of a stream. */
  public enum StreamFormat {
    /** One hit a line. */
    NDJSON,
    CSV,
    ARROW;

    /** Returns the name of the format in lower case, as requests spell it. */
    public String displayName() {
      return name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable StreamFormat fromColumnar(@Nullable ColumnarFormat format) {
      return switch (format) {
        case CSV -> CSV;
        case ARROW -> ARROW;
        case JSON -> NDJSON;
        case null -> null;
      };
    }
  }

  public TableStreamFactory(ClusterViewSource views) {
    this.mappings = new MappedFieldsCache(views);
  }

  /**
   * Determines the format from {@code format} or {@code Accept}; NDJSON by default.
   *
   * @throws IllegalArgumentException if the parameter has an unknown value
   */
  public static StreamFormat parseFormat(RestRequest request) {
    String named = request.param("format");
    if (named == null) {
      StreamFormat accepted = StreamFormat.fromColumnar(ColumnarFormat.accepted(request));
      return accepted == null ? StreamFormat.NDJSON : accepted;
    }
    for (StreamFormat format : StreamFormat.values()) {
      if (format.displayName().equals(named)) {
        return format;
      }
    }
    throw new IllegalArgumentException(
        "got [" + named + "] for [format] (expected: ndjson, csv or arrow)");
  }

  /**
   * Prepares a search for rows: it excludes the source if the search only names fields.
   *
   * @param source changed in place
   */
  public static void prepare(StreamFormat format, SearchSourceBuilder source) {
    if (format != StreamFormat.NDJSON
        && source.fetchSource() == null
        && !StreamColumnPlanner.hasSource(source)
        && source.storedFields() == null) {
      source.fetchSource(false);
    }
  }

  /**
   * Opens a stream.
   *
   * @param source the search as sent to the nodes
   * @param indices the searched indices
   * @param lists the columns with lists as values, with wildcards
   * @throws IllegalArgumentException if there are too many columns or patterns, or {@code lists}
   *     names none
   */
  public TableStream open(
      StreamFormat format, SearchSourceBuilder source, List<String> indices, List<String> lists) {
    if (format == StreamFormat.NDJSON) {
      return new NdjsonHitStream(source.includeNamedQueriesScore());
    }
    RequestedColumns requested = RequestedColumns.from(source);
    Columns columns = new Columns(requested::isReformatted);
    HitRowReader reader = new HitRowReader(columns, requested, mappings);
    Set<MappedFields> mapped = new LinkedHashSet<>();
    indices.stream().limit(MAX_INDICES).forEach(index -> mapped.add(reader.fieldsOf(index)));
    StreamColumnPlanner.addColumns(columns, requested, source, mapped);
    ListColumnValidator.validate(lists, columns);
    Predicate<Column> isList =
        column -> Regex.simpleMatch(lists, column.name()) || column.type().equals("knn_vector");
    return format == StreamFormat.CSV
        ? new CsvTableStream(reader, columns)
        : new ArrowTableStream(reader, columns, isList);
  }
}
