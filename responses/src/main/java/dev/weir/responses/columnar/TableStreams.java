package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViews;
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
public final class TableStreams {
  /** The mappings of more indices are not looked at: what they alone have is in no column. */
  static final int MOST_INDICES = 100;

  private final IndexMappings mappings;

  /** The forms. */
  public enum Form {
    /** A hit a line. */
    NDJSON,
    CSV,
    ARROW;

    /** As people write it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Form of(@Nullable Format format) {
      return switch (format) {
        case CSV -> CSV;
        case ARROW -> ARROW;
        case JSON -> NDJSON;
        case null -> null;
      };
    }
  }

  /** Makes it. */
  public TableStreams(ClusterViews views) {
    this.mappings = new IndexMappings(views);
  }

  /**
   * The form that a request asks for by {@code format} or {@code Accept}; a hit a line where it
   * says nothing.
   *
   * @throws IllegalArgumentException where the parameter is none that is known
   */
  public static Form form(RestRequest request) {
    String named = request.param("format");
    if (named == null) {
      Form accepted = Form.of(Format.accepted(request));
      return accepted == null ? Form.NDJSON : accepted;
    }
    for (Form form : Form.values()) {
      if (form.word().equals(named)) {
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
  public static void prepare(Form form, SearchSourceBuilder source) {
    if (form != Form.NDJSON
        && source.fetchSource() == null
        && !StreamedColumns.readsDocuments(source)
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
      Form form, SearchSourceBuilder source, List<String> indices, List<String> lists) {
    if (form == Form.NDJSON) {
      return new HitLines();
    }
    AskedColumns asked = AskedColumns.of(source);
    Columns columns = new Columns(asked::isReformatted);
    HitReader reader = new HitReader(columns, asked, mappings);
    Set<MappedFields> mapped = new LinkedHashSet<>();
    indices.stream().limit(MOST_INDICES).forEach(index -> mapped.add(reader.mapped(index)));
    StreamedColumns.addTo(columns, asked, source, mapped);
    Predicate<Column> isList =
        column -> Regex.simpleMatch(lists, column.name()) || column.type().equals("knn_vector");
    return form == Form.CSV
        ? new CsvStream(reader, columns)
        : new ArrowTableStream(reader, columns, isList);
  }
}
