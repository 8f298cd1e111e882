package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.rest.MultiSearchResponseFormat;
import dev.weir.rest.SearchResponseFormat;
import dev.weir.rest.SearchResponseFormats;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.rest.RestRequest;

/** Selects a columnar response format where {@code columnar} or {@code Accept} requests one. */
public final class ColumnarResponseFormats implements SearchResponseFormats {
  private final MappedFieldsCache mappings;
  private final SearchedIndexResolver searchedIndices;

  /**
   * Column types come from the mappings of the newest cluster view.
   *
   * @param names resolves the indices of a search without hits
   * @param writeables decodes ids of points in time
   */
  public ColumnarResponseFormats(
      ClusterViewSource views, IndexNameResolver names, NamedWriteableRegistry writeables) {
    this.mappings = new MappedFieldsCache(views);
    this.searchedIndices = new SearchedIndexResolver(views, names, writeables);
  }

  @Override
  public @Nullable SearchResponseFormat requestedFormat(RestRequest request) {
    ColumnarFormat format = ColumnarFormat.fromRequest(request);
    return format == null
        ? null
        : ColumnarResponseFormat.ofSearch(format, request, mappings, searchedIndices);
  }

  @Override
  public @Nullable SearchResponseFormat requestedPageFormat(RestRequest request) {
    ColumnarFormat format = ColumnarFormat.fromRequest(request);
    return format == null
        ? null
        : ColumnarResponseFormat.ofFurtherPage(format, request, mappings, searchedIndices);
  }

  @Override
  public @Nullable MultiSearchResponseFormat requestedMultiFormat(RestRequest request) {
    ColumnarFormat format = ColumnarFormat.fromRequest(request);
    if (format == ColumnarFormat.CSV) {
      throw new OpenSearchStatusException(
          "got [csv] for several searches, whose tables it can't separate (expected: json or"
              + " arrow)",
          RestStatus.NOT_ACCEPTABLE);
    }
    return format == null
        ? null
        : new ColumnarMultiSearchFormat(
            format, () -> ColumnarResponseFormat.from(format, request, mappings, searchedIndices));
  }
}
