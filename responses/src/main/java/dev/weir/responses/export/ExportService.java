package dev.weir.responses.export;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.config.policy.ExportPolicy;
import dev.weir.responses.columnar.TableStreamFactory;
import dev.weir.rest.ExportHandler;
import dev.weir.rest.StreamingResponseSession;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.index.IndexSettings;
import org.opensearch.rest.RestRequest;

/** Starts exports by the policy in force. Safe on any thread. */
public final class ExportService implements ExportHandler {
  /** The minimum number of documents of a slice. */
  static final long MIN_SLICE_DOCUMENTS = 2000;

  private final ClusterViewSource views;
  private final NamedWriteableRegistry namedWriteables;
  private final TableStreamFactory tables;
  private final ExportTimer timer;
  private final ExportCounts counts;
  private final ExportSlots slots = new ExportSlots();
  private final List<String> identityHeaders;
  private volatile ExportPolicy policy;
  private volatile CursorSigner cursorSigner;

  /**
   * Creates the service.
   *
   * @param writeables decodes ids of points in time
   * @param identityHeaders in which trusted proxies or the gateway name users
   */
  public ExportService(
      ClusterViewSource views,
      NamedWriteableRegistry writeables,
      ExportTimer timer,
      ExportCounts counts,
      ExportPolicy policy,
      List<String> identityHeaders) {
    this.identityHeaders =
        identityHeaders.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    this.views = views;
    this.namedWriteables = writeables;
    this.tables = new TableStreamFactory(views);
    this.timer = timer;
    this.counts = counts;
    this.policy = policy;
    this.cursorSigner = CursorSigner.of(policy.cursorSecret());
  }

  /** Sets the policy of exports that start from now on. */
  public void setPolicy(ExportPolicy changed) {
    if (!changed.cursorSecret().equals(policy.cursorSecret())) {
      cursorSigner = CursorSigner.of(changed.cursorSecret());
    }
    policy = changed;
  }

  public ExportCounts counts() {
    return counts;
  }

  @Override
  public boolean isEnabled() {
    return policy.enabled();
  }

  @Override
  public ExportJob parse(RestRequest request, SearchRequest search, @Nullable String cursor) {
    CursorSigner.Seal seal = cursorSigner.sealOf(request, identityHeaders);
    ExportSpec ask = ExportSpec.parse(request, search, cursor, policy.defaultSlices(), seal);
    if (ask.isOrdered()
        && views.current().state().nodes().getMinNodeVersion().before(Version.V_3_3_0)) {
      throw ExportValidator.reject(
          "sort", "none, with nodes before 3.3, which have no [_shard_doc]");
    }
    return by -> start(ask, by);
  }

  private void start(ExportSpec ask, StreamingResponseSession request) {
    int maxActive = policy.maxInFlight();
    int maxOfAddress = policy.maxInFlightPerAddress();
    String address = ask.clientAddress();
    if (!slots.tryAcquire(address, maxOfAddress < maxActive ? maxOfAddress : Integer.MAX_VALUE)) {
      counts.recordRejection();
      request.fail(
          new OpenSearchRejectedExecutionException(
              "got another export of a client address with "
                  + maxOfAddress
                  + " under way (expected: at most "
                  + maxOfAddress
                  + ", see responses.export.max-in-flight-per-address)"));
      return;
    }
    if (!counts.tryBegin(maxActive)) {
      slots.release(address);
      request.fail(
          new OpenSearchRejectedExecutionException(
              "got another export while "
                  + maxActive
                  + " are under way (expected: at most "
                  + maxActive
                  + ", see responses.export.max-in-flight)"));
      return;
    }
    new ExportSession(ask, this, request).start();
  }

  /** Ends an export that was started. */
  void onEnd(ExportSpec spec, ExportCounts.End outcome) {
    slots.release(spec.clientAddress());
    counts.recordEnd(outcome);
  }

  ExportPolicy policy() {
    return policy;
  }

  NamedWriteableRegistry namedWriteables() {
    return namedWriteables;
  }

  TableStreamFactory tables() {
    return tables;
  }

  ExportTimer timer() {
    return timer;
  }

  /** Returns the maximum number of rows that one search of these indices may request. */
  int maxRows(List<String> indices) {
    int maxRows = IndexSettings.MAX_RESULT_WINDOW_SETTING.get(Settings.EMPTY);
    for (String index : indices) {
      IndexMetadata metadata = views.current().state().metadata().index(index);
      if (metadata != null) {
        maxRows =
            Math.min(maxRows, IndexSettings.MAX_RESULT_WINDOW_SETTING.get(metadata.getSettings()));
      }
    }
    return maxRows;
  }
}
