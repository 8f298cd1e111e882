package dev.weir.responses.export;

import dev.weir.config.policy.ExportPolicy;
import dev.weir.cluster.ClusterViews;
import dev.weir.responses.columnar.TableStreams;
import dev.weir.rest.Exports;
import dev.weir.rest.StreamedRequest;
import java.util.List;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.index.IndexSettings;
import org.opensearch.rest.RestRequest;

/** Takes exports, by the policy in force. Safe on any thread. */
public final class ExportDesk implements Exports {
  /** A shard is not cut into slices of fewer documents than this. */
  static final long LEAST_OF_A_SLICE = 2000;

  private final ClusterViews views;
  private final NamedWriteableRegistry writeables;
  private final TableStreams tables;
  private final ExportTimer timer;
  private final ExportCounts counts;
  private volatile ExportPolicy policy;

  /**
   * Makes it.
   *
   * @param writeables reads the ids of points in time
   */
  public ExportDesk(
      ClusterViews views,
      NamedWriteableRegistry writeables,
      ExportTimer timer,
      ExportCounts counts,
      ExportPolicy policy) {
    this.views = views;
    this.writeables = writeables;
    this.tables = new TableStreams(views);
    this.timer = timer;
    this.counts = counts;
    this.policy = policy;
  }

  /** Goes by another policy from now on: exports that come after this. */
  public void use(ExportPolicy changed) {
    policy = changed;
  }

  /** What became of exports. */
  public ExportCounts counts() {
    return counts;
  }

  @Override
  public boolean on() {
    return policy.enabled();
  }

  @Override
  public Job read(RestRequest request, SearchRequest search) {
    ExportAsk ask = ExportAsk.of(request, search, policy.slices());
    if (ask.order()
        && views.current().state().nodes().getMinNodeVersion().before(Version.V_3_3_0)) {
      throw Exportable.refused("sort", "none, with nodes before 3.3, which have no [_shard_doc]");
    }
    return by -> begin(ask, by);
  }

  private void begin(ExportAsk ask, StreamedRequest request) {
    int most = policy.maxUnderWay();
    if (!counts.begin(most)) {
      request.fail(
          new OpenSearchRejectedExecutionException(
              "got another export while "
                  + most
                  + " are under way (expected: at most "
                  + most
                  + ", see responses.export.max-under-way)"));
      return;
    }
    new Export(ask, this, request).begin();
  }

  ExportPolicy policy() {
    return policy;
  }

  NamedWriteableRegistry writeables() {
    return writeables;
  }

  TableStreams tables() {
    return tables;
  }

  ExportTimer timer() {
    return timer;
  }

  /** How many rows a search of indices may ask for. */
  int mostRows(List<String> indices) {
    int most = IndexSettings.MAX_RESULT_WINDOW_SETTING.get(Settings.EMPTY);
    for (String index : indices) {
      IndexMetadata metadata = views.current().state().metadata().index(index);
      if (metadata != null) {
        most = Math.min(most, IndexSettings.MAX_RESULT_WINDOW_SETTING.get(metadata.getSettings()));
      }
    }
    return most;
  }
}
