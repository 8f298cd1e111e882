package dev.weir.bluegreen.dual;

import dev.weir.model.RequestContext;
import dev.weir.model.WritePreparation;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ForwardedBulkAction;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.delete.DeleteResponse;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.common.document.DocumentField;
import org.opensearch.common.lucene.uid.Versions;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.VersionType;
import org.opensearch.index.engine.DocumentMissingException;
import org.opensearch.index.engine.VersionConflictEngineException;
import org.opensearch.index.get.GetResult;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.search.SearchHit;

/**
 * A cluster in memory with a node's version rules: each write increments the version or uses the
 * given one; a deleted document's version is remembered until {@link #forgetDeleted}. A document's
 * version is its sequence number too. It executes requests and responds in tasks of {@link #run}.
 */
final class InMemoryCluster implements ActionExecutor {
  /** The requests received. */
  record Call(String action, ActionRequest request, RequestContext context) {}

  private record Doc(long version, @Nullable String source, @Nullable String routing) {}

  private final Map<String, Doc> docs = new TreeMap<>();
  private final Map<String, String> aliases = new HashMap<>();
  private final Map<String, String> aliasRoutings = new HashMap<>();
  private final Set<String> missing = new HashSet<>();
  private final Set<String> several = new HashSet<>();
  private final List<Call> calls = new ArrayList<>();
  private Executor run = Runnable::run;
  private IntPredicate repeating = item -> false;
  private Function<DocWriteRequest<?>, @Nullable Exception> refusing = write -> null;
  private Function<DocWriteRequest<?>, String> sourceOf = InMemoryCluster::sent;
  private @Nullable String movedTo;
  private @Nullable String routedTo;
  private @Nullable RuntimeException thrown;
  private boolean oneShard;
  private boolean silent;
  private boolean sayingLate;
  private int ids;
  private final InMemoryScrolls scrolls = new InMemoryScrolls();

  List<Call> calls() {
    return calls;
  }

  /** Returns how often an action of this name was requested. */
  long calls(String action) {
    return calls.stream().filter(call -> call.action().equals(action)).count();
  }

  /** Runs the cluster's tasks; responses are delivered on the context's event loop. */
  InMemoryCluster run(Executor where) {
    run = where;
    return this;
  }

  /** Rejects some writes. */
  void refusing(Function<DocWriteRequest<?>, @Nullable Exception> which) {
    refusing = which;
  }

  /** Changes written documents, as a pipeline does. */
  void making(Function<DocWriteRequest<?>, String> source) {
    sourceOf = source;
  }

  /** Throws on everything except a forwarded bulk. */
  void throwing(@Nullable RuntimeException failure) {
    thrown = failure;
  }

  /** Reports a timeout for all items of requests. */
  void saysThatItIsLate(boolean now) {
    sayingLate = now;
  }

  /** Executes requests and never responds. */
  void silent(boolean now) {
    silent = now;
  }

  /** Loses the first response to each request, which the gateway then sends again. */
  void repeating(boolean now) {
    repeating(item -> now);
  }

  /** Loses the first response to each request, of which the gateway sends these items again. */
  void repeating(IntPredicate items) {
    repeating = items;
  }

  void alias(String name, String index) {
    aliases.put(name, index);
  }

  /** Creates an alias that adds a routing to writes. */
  void alias(String name, String index, String routing) {
    aliases.put(name, index);
    aliasRoutings.put(name, routing);
  }

  /** Adds a pipeline that writes to another index, or with another routing. */
  void directing(@Nullable String index, @Nullable String routing) {
    movedTo = index;
    routedTo = routing;
  }

  /** Lets reads find a document whatever its routing is: every routing leads to one shard. */
  void oneShard() {
    oneShard = true;
  }

  /** Makes reads of this index fail as missing. */
  void missing(String index) {
    missing.add(index);
  }

  /** Lets this name match several indices, so that reads by it fail. */
  void failingToRead(String name) {
    several.add(name);
  }

  void forgetDeleted() {
    docs.values().removeIf(doc -> doc.source() == null);
  }

  /** Returns every document, as {@code index/id} to {@code version:source}. */
  Map<String, String> all() {
    Map<String, String> all = new TreeMap<>();
    docs.forEach((key, doc) -> {
      if (doc.source() != null) {
        all.put(key, doc.version() + ":" + doc.source());
      }
    });
    return all;
  }

  /** Stores a document with a version; without a source it is deleted. */
  void put(String index, String id, long version, @Nullable String source) {
    put(index, id, version, source, null);
  }

  /** Stores a document at its routing. */
  void put(
      String index, String id, long version, @Nullable String source, @Nullable String routing) {
    docs.put(index + "/" + id, new Doc(version, source, routing));
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    calls.add(new Call(action.name(), request, context));
    if (thrown != null && !action.name().equals(ForwardedBulkAction.INSTANCE.name())) {
      throw thrown;
    }
    if (request.validate() != null) {
      throw new AssertionError("got an invalid request: " + request.validate());
    }
    List<DocWriteRequest<?>> writes =
        switch (request) {
          case BulkRequest bulk -> bulk.requests();
          case DocWriteRequest<?> one -> List.of(one);
          default -> List.of();
        };
    if (writes.isEmpty()) {
      send(request, context, listener);
      return;
    }
    if (!WritePreparation.NONE.equals(context.resources().writePreparation())
        && !action.name().equals(ForwardedBulkAction.INSTANCE.name())) {
      writes.forEach(this::assignId);
    }
    context
        .resources()
        .writePreparation()
        .prepare(
            () -> {
              if (context.cancelReason() == null) {
                send(request, context, listener);
              }
            },
            listener::onFailure);
  }

  private <R extends ActionResponse> void send(
      ActionRequest request, RequestContext context, ActionListener<R> listener) {
    run.execute(() -> {
      loseFirstResponse(request, context);
      Consumer<ActionListener<R>> outcome = carryOut(request);
      if (!silent) {
        context.eventLoop().execute(() -> context.run(() -> outcome.accept(listener)));
      } else if (sayingLate && request instanceof BulkRequest bulk) {
        saysLater(bulk, context, listener);
      }
    });
  }

  private void loseFirstResponse(ActionRequest request, RequestContext context) {
    int items = request instanceof BulkRequest bulk ? bulk.requests().size() : 1;
    int[] repeated = IntStream.range(0, items).filter(repeating).toArray();
    if (repeated.length > 0) {
      carryOut(request);
    }
    for (int item : repeated) {
      context.resources().setPossiblyRepeated(item);
      context.resources().setPossiblyExecuted(item);
    }
  }

  @SuppressWarnings("unchecked") // the answer to such a request
  private <R> Consumer<ActionListener<R>> carryOut(ActionRequest request) {
    try {
      R response =
          (R)
              switch (request) {
                case BulkRequest bulk -> bulk(bulk);
                case MultiGetRequest gets -> multiGet(gets);
                case SearchRequest search -> search(search);
                case SearchScrollRequest _ -> scrolls.page();
                case ClearScrollRequest _ -> scrolls.clear();
                case GetRequest get -> get(get.index(), get.id(), get.routing());
                case DocWriteRequest<?> write -> write(write);
                default -> throw new AssertionError("got " + request);
              };
      return listener -> listener.onResponse(response);
    } catch (Exception failure) {
      return listener -> listener.onFailure(failure);
    }
  }

  @SuppressWarnings("unchecked") // the answer to a bulk
  private static <R extends ActionResponse> void saysLater(
      BulkRequest bulk, RequestContext context, ActionListener<R> listener) {
    context.onCancel(() -> listener.onResponse((R) late(bulk)));
  }

  private static BulkResponse late(BulkRequest bulk) {
    Exception why = new OpenSearchStatusException("late", RestStatus.REQUEST_TIMEOUT);
    return new BulkResponse(
        bulk.requests().stream()
            .map(write ->
                new BulkItemResponse(
                    0,
                    write.opType(),
                    new BulkItemResponse.Failure(write.index(), write.id(), why)))
            .toArray(BulkItemResponse[]::new),
        1);
  }

  private BulkResponse bulk(BulkRequest bulk) {
    List<BulkItemResponse> items = new ArrayList<>();
    for (DocWriteRequest<?> write : bulk.requests()) {
      try {
        items.add(new BulkItemResponse(items.size(), write.opType(), write(write)));
      } catch (Exception failure) {
        items.add(
            new BulkItemResponse(
                items.size(),
                write.opType(),
                new BulkItemResponse.Failure(write.index(), write.id(), failure)));
      }
    }
    return new BulkResponse(items.toArray(new BulkItemResponse[0]), 1);
  }

  private void assignId(DocWriteRequest<?> write) {
    if (write instanceof IndexRequest document && document.id() == null) {
      document.id("minted-" + ++ids);
    }
  }

  private DocWriteResponse write(DocWriteRequest<?> write) throws Exception {
    Exception refused = refusing.apply(write);
    if (refused != null) {
      throw refused;
    }
    String index = movedTo == null ? aliases.getOrDefault(write.index(), write.index()) : movedTo;
    if (write.routing() == null && aliasRoutings.containsKey(write.index())) {
      write.routing(aliasRoutings.get(write.index()));
    }
    String routing = routedTo == null ? write.routing() : routedTo;
    if (index.startsWith(".ds-")
        && !index.equals(write.index())
        && write.opType() != DocWriteRequest.OpType.CREATE) {
      throw new IllegalArgumentException(
          "only write ops with an op_type of create are allowed in data streams");
    }
    checkBackingIndex(write);
    assignId(write);
    ShardId shard = new ShardId(new Index(index, "uuid"), 0);
    String key = index + "/" + write.id();
    Doc before = docs.get(key);
    boolean there = before != null && before.source() != null;
    long version = version(write, shard, before, there);
    return switch (write) {
      case IndexRequest document -> {
        docs.put(key, new Doc(version, sourceOf.apply(document), routing));
        yield new IndexResponse(shard, write.id(), version, 1, version, !there);
      }
      case DeleteRequest delete -> {
        docs.put(key, new Doc(version, null, routing));
        yield new DeleteResponse(shard, write.id(), version, 1, version, there);
      }
      case UpdateRequest update -> {
        if (!there && !update.docAsUpsert()) {
          throw new DocumentMissingException(shard, write.id());
        }
        String source = "{\"updated\":" + sent(update.doc()) + "}";
        if (before != null && source.equals(before.source())) {
          yield new UpdateResponse(
              shard, write.id(), 1, 1, before.version(), DocWriteResponse.Result.NOOP);
        }
        docs.put(key, new Doc(version, source, routing));
        yield new UpdateResponse(
            shard,
            write.id(),
            version,
            1,
            version,
            there ? DocWriteResponse.Result.UPDATED : DocWriteResponse.Result.CREATED);
      }
      default -> throw new AssertionError("got " + write);
    };
  }

  /** As {@code TransportBulkAction.prohibitAppendWritesInBackingIndices}. */
  private static void checkBackingIndex(DocWriteRequest<?> write) {
    if (write.index().startsWith(".ds-")
        && write instanceof IndexRequest
        && (write.opType() == DocWriteRequest.OpType.CREATE
            || write.ifSeqNo() == SequenceNumbers.UNASSIGNED_SEQ_NO)) {
      throw new IllegalArgumentException(
          "index request with op_type="
              + write.opType()
              + " targeting backing indices is disallowed, target the data stream instead");
    }
  }

  private static long version(
      DocWriteRequest<?> write, ShardId shard, @Nullable Doc before, boolean there) {
    if (write.opType() == DocWriteRequest.OpType.CREATE && there) {
      throw new VersionConflictEngineException(shard, write.id(), "document already exists");
    }
    long current = before == null ? Versions.NOT_FOUND : before.version();
    if (write.ifSeqNo() != SequenceNumbers.UNASSIGNED_SEQ_NO && write.ifSeqNo() != current) {
      throw new VersionConflictEngineException(shard, write.id(), "another sequence number");
    }
    if (write.versionType() == VersionType.INTERNAL) {
      return before == null ? 1 : current + 1;
    }
    if (write.versionType().isVersionConflictForWrites(current, write.version(), !there)) {
      throw new VersionConflictEngineException(
          shard,
          write.id(),
          write.versionType().explainConflictForWrites(current, write.version(), !there));
    }
    return write.version();
  }

  private static String sent(DocWriteRequest<?> write) {
    return write instanceof IndexRequest document ? document.source().utf8ToString() : "";
  }

  private MultiGetResponse multiGet(MultiGetRequest request) {
    return new MultiGetResponse(
        request.getItems().stream()
            .map(item ->
                new MultiGetItemResponse(get(item.index(), item.id(), item.routing()), null))
            .toArray(MultiGetItemResponse[]::new));
  }

  private GetResponse get(String name, String id, @Nullable String routing) {
    String index = aliases.getOrDefault(name, name);
    if (several.contains(name)) {
      throw new IllegalArgumentException("it has several indices");
    }
    if (missing.contains(index)) {
      throw new IndexNotFoundException(index);
    }
    Doc doc = docs.get(index + "/" + id);
    String at = routing == null ? aliasRoutings.get(name) : routing;
    boolean elsewhere = !oneShard && doc != null && !Objects.equals(doc.routing(), at);
    if (doc == null || doc.source() == null || elsewhere) {
      return new GetResponse(
          new GetResult(
              index,
              id,
              SequenceNumbers.UNASSIGNED_SEQ_NO,
              SequenceNumbers.UNASSIGNED_PRIMARY_TERM,
              Versions.NOT_FOUND,
              false,
              null,
              Map.of(),
              Map.of()));
    }
    String own = doc.routing();
    return new GetResponse(
        new GetResult(
            index,
            id,
            doc.version(),
            1,
            doc.version(),
            true,
            BytesReference.fromByteBuffer(bytes(doc)),
            Map.of(),
            own == null
                ? Map.of()
                : Map.of("_routing", new DocumentField("_routing", List.of(own)))));
  }

  /** Its scrolls, and what tests do to them. */
  InMemoryScrolls scrolls() {
    return scrolls;
  }

  private SearchResponse search(SearchRequest search) {
    String name = search.indices()[0];
    String index = aliases.getOrDefault(name, name);
    if (missing.contains(index)) {
      throw new IndexNotFoundException(index);
    }
    List<SearchHit> found = new ArrayList<>();
    docs.forEach((key, doc) -> {
      int end = key.indexOf('/');
      String in = key.substring(0, end);
      if (doc.source() != null && (in.equals(index) || several.contains(name))) {
        found.add(
            InMemoryScrolls.hit(
                in, key.substring(end + 1), doc.version(), bytes(doc), doc.routing()));
      }
    });
    return search.source().size() == 0 ? scrolls.count(found.size()) : scrolls.open(found);
  }

  private static ByteBuffer bytes(Doc doc) {
    return ByteBuffer.wrap(String.valueOf(doc.source()).getBytes(StandardCharsets.UTF_8));
  }
}
