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

/** Opens streams of rows, whose columns are those of the newest view's mappings. Any thread. */
public final class TableStreamFactory {
  /** The mappings of more indices are not looked at: what they alone have is in no column. */
  static final int MAX_INDICES = 100;

  private final MappedFieldsCache mappings;

  /** The forms. */
  public enum StreamFormat {
    /** A hit a line. */
    NDJSON,
    CSV,
    ARROW;

    /** As people write it. */
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

  /** Makes it. */
  public TableStreamFactory(ClusterViewSource views) {
    this.mappings = new MappedFieldsCache(views);
  }

  /**
   * The form that a request asks for by {@code format} or {@code Accept}; a hit a line where it
   * says nothing.
   *
   * @throws IllegalArgumentException where the parameter is none that is known
   */
  public static StreamFormat parseFormat(RestRequest request) {
    String named = request.param("format");
    if (named == null) {
      StreamFormat accepted = StreamFormat.fromColumnar(ColumnarFormat.accepted(request));
      return accepted == null ? StreamFormat.NDJSON : accepted;
    }
    for (StreamFormat form : StreamFormat.values()) {
      if (form.displayName().equals(named)) {
        return form;
      }
    }
    throw new IllegalArgumentException(
        "got [" + named + "] for [format] (expected: ndjson, csv or arrow)");
  }

  /**
   * Prepares a search for rows: documents are not asked for where it names fields alone.
   *
   * @param source becomes what nodes are asked
   */
  public static void prepare(StreamFormat form, SearchSourceBuilder source) {
    if (form != StreamFormat.NDJSON
        && source.fetchSource() == null
        && !StreamColumnPlanner.hasSource(source)
        && source.storedFields() == null) {
      source.fetchSource(false);
    }
  }

  /**
   * Opens a stream.
   *
   * @param source what nodes are asked
   * @param indices that are searched
   * @param lists the columns whose values are lists, with wildcards
   * @throws IllegalArgumentException where there are too many columns
   */
  public TableStream open(
      StreamFormat form, SearchSourceBuilder source, List<String> indices, List<String> lists) {
    if (form == StreamFormat.NDJSON) {
      return new NdjsonHitStream();
    }
    RequestedColumns asked = RequestedColumns.from(source);
    Columns columns = new Columns(asked::isReformatted);
    HitRowReader reader = new HitRowReader(columns, asked, mappings);
    Set<MappedFields> mapped = new LinkedHashSet<>();
    indices.stream().limit(MAX_INDICES).forEach(index -> mapped.add(reader.fieldsOf(index)));
    StreamColumnPlanner.addColumns(columns, asked, source, mapped);
    Predicate<Column> isList =
        column -> Regex.simpleMatch(lists, column.name()) || column.type().equals("knn_vector");
    return form == StreamFormat.CSV
        ? new CsvTableStream(reader, columns)
        : new ArrowTableStream(reader, columns, isList);
  }
}
