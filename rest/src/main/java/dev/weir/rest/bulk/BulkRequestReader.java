package dev.weir.rest.bulk;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.rest.RestRequest;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * Parses the items of a bulk by the parameters of its request: ordinary bodies with {@link
 * FastBulkParser}, others with OpenSearch's own parser. Accepts a whole body or a section.
 */
public final class BulkRequestReader {
  private final FastBulkParser.ItemDefaults defaults;
  private final @Nullable FetchSourceContext sourceContext;
  private final @Nullable ActiveShardCount activeShards;
  private final @Nullable Boolean requireAlias;
  private final TimeValue timeout;
  private final @Nullable String refresh;
  private final @Nullable MediaType type;

  /** Reads the parameters in the order of {@code RestBulkAction}, with the same errors. */
  public BulkRequestReader(RestRequest request, boolean allowExplicitIndex) {
    String index = request.param("index");
    String routing = request.param("routing");
    sourceContext = FetchSourceContext.parseFromRestRequest(request);
    String pipeline = request.param("pipeline");
    String shards = request.param("wait_for_active_shards");
    activeShards = shards == null ? null : ActiveShardCount.parseString(shards);
    requireAlias = request.paramAsBoolean(DocWriteRequest.REQUIRE_ALIAS, (Boolean) null);
    timeout = request.paramAsTime("timeout", BulkShardRequest.DEFAULT_TIMEOUT);
    refresh = request.param("refresh");
    configure(new BulkRequest()); // fails for an invalid refresh policy
    type = request.getMediaType();
    defaults =
        new FastBulkParser.ItemDefaults(
            index, routing, pipeline, Boolean.TRUE.equals(requireAlias), allowExplicitIndex);
  }

  private BulkRequest configure(BulkRequest bulk) {
    if (activeShards != null) {
      bulk.waitForActiveShards(activeShards);
    }
    bulk.timeout(timeout);
    bulk.setRefreshPolicy(refresh);
    return bulk;
  }

  /**
   * Parses items.
   *
   * @param reserver reserves the items' memory while they are parsed; throws if the limit is
   *     reached
   */
  public BulkRequest read(BytesReference body, LongConsumer reserver) throws IOException {
    BulkItemAccounting accounting = new BulkItemAccounting(reserver);
    BulkRequest fast = tryFastParse(body, accounting);
    if (fast != null) {
      return configure(fast);
    }
    BulkRequest bulk = configure(new BulkRequest());
    if (type == XContentType.JSON && body instanceof BytesArray lines) {
      accounting.reserveRemaining(countItems(lines));
      BulkParts.forEach(
          lines,
          (part, linesBefore) -> {
            try {
              parse(part, bulk);
            } catch (RuntimeException wrong) {
              throw BulkLineNumbers.ofWhole(wrong, linesBefore);
            }
          });
    } else {
      accounting.reserveRemaining(countItems(new BytesArray(body.toBytesRef())));
      parse(body, bulk);
    }
    return bulk;
  }

  private static long countItems(BytesArray body) throws IOException {
    LongAdder items = new LongAdder();
    BulkParts.forEach(
        body,
        (part, linesBefore) -> {
          int end = part.offset() + part.length();
          items.add(BulkLineScanner.countItems(part.array(), part.offset(), end));
        });
    return items.sum();
  }

  private void parse(BytesReference lines, BulkRequest bulk) throws IOException {
    bulk.add(
        lines,
        defaults.index(),
        defaults.routing(),
        sourceContext,
        defaults.pipeline(),
        requireAlias,
        defaults.allowExplicitIndex(),
        type);
  }

  private @Nullable BulkRequest tryFastParse(BytesReference body, LongConsumer reserver) {
    if (!(body instanceof BytesArray array) || type != XContentType.JSON) {
      return null;
    }
    FastBulkParser.Documents read = FastBulkParser.read(array, defaults, reserver);
    if (read == null) {
      return null;
    }
    if (read.lines() != null) {
      return new LineBulkRequest(read.lines());
    }
    BulkRequest bulk = new BulkRequest();
    read.requests().forEach(bulk::add);
    return bulk;
  }
}
