package dev.weir.core.reduce.buckets;

import static dev.weir.core.reduce.buckets.ShardAggregations.REGISTRIES;
import static dev.weir.core.reduce.buckets.ShardAggregations.bytes;
import static dev.weir.core.reduce.buckets.ShardAggregations.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.ReductionWorkspace;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.model.RequestContext;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntConsumer;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.MultiBucketConsumerService.MultiBucketConsumer;
import org.opensearch.search.aggregations.MultiBucketConsumerService.TooManyBucketsException;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.TDigestState;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;

/** A response written from merged buckets equals OpenSearch's, byte for byte. */
class BucketwiseReducerTest {
  private static final long MB = 1 << 20;

  private final Random random = TestSeed.random(BucketwiseReducerTest.class);
  private final RequestMemoryAccount account =
      new GatewayMemory(
              new RequestMemoryPolicy(true, new ByteSize(32 * MB), new ByteSize(100 * MB), 0.8),
              new GatewayMemory.Pools(
                  new MemoryPool(MB), new MemoryPool(MB), new MemoryPool(100 * MB)),
              () -> 0)
          .openAccount("GET", "/", null);

  private static ReduceContext context(IntConsumer buckets) {
    return ReduceContext.forFinalReduction(
        BigArrays.NON_RECYCLING_INSTANCE, null, buckets, PipelineTree.EMPTY);
  }

  private SearchCircuitBreaker breaker() {
    RequestContext request = new RequestContext(Runnable::run, 1, Map.of());
    request.resources().setMemory(account);
    return new ReduceServices(
            REGISTRIES, new NoopCircuitBreaker(CircuitBreaker.REQUEST), Runnable::run)
        .createBreaker(request, AggregationShape.NONE);
  }

  private @Nullable InternalAggregations reduce(
      List<AggregationBytes> shards, ToXContent.Params params, IntConsumer buckets) {
    SearchCircuitBreaker breaker = breaker();
    ReductionWorkspace workspace = breaker.createWorkspace();
    try {
      InternalAggregations reduced =
          BucketwiseReducer.reduce(
              shards, new BucketReduction(context(buckets), params, workspace, true, () -> false));
      if (reduced == null) {
        workspace.discard();
        assertThat(account.usedBytes()).isZero();
      }
      return reduced;
    } finally {
      breaker.close();
      assertThat(account.usedBytes()).isZero();
    }
  }

  private static InternalAggregations reduceObjects(
      List<AggregationBytes> shards, IntConsumer buckets) throws IOException {
    List<InternalAggregations> objects = new ArrayList<>();
    for (AggregationBytes shard : shards) {
      objects.add(read(shard));
    }
    InternalAggregations reduced = InternalAggregations.topLevelReduce(objects, context(buckets));
    reduced.getSerializedSize(); // as QueryPhaseResultConsumer does
    return reduced;
  }

  private static String text(InternalAggregations reduced, ToXContent.Params params, boolean pretty)
      throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      if (pretty) {
        builder.prettyPrint();
      }
      builder.startObject();
      reduced.toXContent(builder, params);
      builder.endObject();
      return BytesReference.bytes(builder).utf8ToString();
    }
  }

  private List<AggregationBytes> shards(List<RandomAggregations.Node> search) throws IOException {
    return shards(search, Version.CURRENT);
  }

  private List<AggregationBytes> shards(List<RandomAggregations.Node> search, Version version)
      throws IOException {
    List<AggregationBytes> shards = new ArrayList<>();
    for (int shard = random.nextInt(6); shard >= 0; shard--) {
      shards.add(bytes(RandomAggregations.make(search, random.nextInt(6) == 0), version));
    }
    return shards;
  }

  @Test
  void writeTheSameResponseAsOpenSearch() throws Exception {
    for (int round = 0; round < 2000; round++) {
      boolean pretty = round % 4 == 0;
      List<RandomAggregations.Node> search =
          (pretty ? RandomAggregations.withoutHits(random) : RandomAggregations.ofAllKinds(random))
              .search();
      List<AggregationBytes> shards = shards(search);
      assertSameResponse(shards, pretty);
    }
    for (int round = 0; round < 500; round++) {
      List<RandomAggregations.Node> search = RandomAggregations.ofNumbers(random).search();
      assertSameResponse(shards(search, Version.V_2_19_0), false);
    }
  }

  private void assertSameResponse(List<AggregationBytes> shards, boolean pretty)
      throws IOException {
    boolean typed = random.nextBoolean();
    ToXContent.Params params =
        new ToXContent.MapParams(Map.of("typed_keys", String.valueOf(typed)));
    List<Integer> theirBuckets = new ArrayList<>();
    InternalAggregations theirs = reduceObjects(shards, theirBuckets::add);
    List<Integer> ourBuckets = new ArrayList<>();
    InternalAggregations ours =
        Objects.requireNonNull(reduce(shards, params, ourBuckets::add), "it is supported");

    assertThat(text(ours, params, false)).isEqualTo(text(theirs, params, false));
    if (pretty) {
      assertThat(text(ours, params, true)).isEqualTo(text(theirs, params, true));
    }
    assertThat(ourBuckets.stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(theirBuckets.stream().mapToInt(Integer::intValue).sum());
  }

  @Test
  void leaveTruncatedBytesToTheReductionOfObjects() throws Exception {
    for (int round = 0; round < 20; round++) {
      List<AggregationBytes> shards =
          new ArrayList<>(shards(List.of(RandomAggregations.ofAllKinds(random).dates(1))));
      BytesRef whole = shards.getFirst().bytes();
      int step = 1 + whole.length / 300;
      for (int length = 0; length < whole.length; length += step) {
        BytesRef cut = new BytesRef(whole.bytes, whole.offset, length);
        shards.set(
            0, new AggregationBytes(cut, shards.getLast().version(), shards.getLast().registry()));
        assertThat(reduce(shards, ToXContent.EMPTY_PARAMS, buckets -> {})).isNull();
      }
    }
  }

  @Test
  void endOnMalformedBytes() throws Exception {
    int failed = 0;
    for (int round = 0; round < 500; round++) {
      List<AggregationBytes> shards =
          shards(List.of(RandomAggregations.ofNumbers(random).dates(1)));
      BytesRef whole = shards.getFirst().bytes();
      for (int change = random.nextInt(3); change >= 0; change--) {
        whole.bytes[whole.offset + random.nextInt(whole.length)] = (byte) random.nextInt(256);
      }
      IntConsumer atMost = new MultiBucketConsumer(1000, breaker());
      try {
        failed += reduce(shards, ToXContent.EMPTY_PARAMS, atMost) == null ? 1 : 0;
      } catch (RuntimeException | AssertionError malformed) { // OpenSearch asserts, in tests only
        failed++;
      }
    }
    assertThat(failed).isPositive();
  }

  @Test
  void refuseTooManyBucketsLikeOpenSearch() throws Exception {
    int refused = 0;
    for (int round = 0; round < 200; round++) {
      List<AggregationBytes> shards =
          shards(List.of(RandomAggregations.ofAllKinds(random).dates(2)));
      MultiBucketConsumer theirs = new MultiBucketConsumer(20, breaker());
      MultiBucketConsumer ours = new MultiBucketConsumer(20, breaker());
      try {
        reduceObjects(shards, theirs);
        assertThat(reduce(shards, ToXContent.EMPTY_PARAMS, ours)).isNotNull();
      } catch (TooManyBucketsException tooMany) {
        refused++;
        assertThatThrownBy(() -> reduce(shards, ToXContent.EMPTY_PARAMS, ours))
            .isInstanceOf(TooManyBucketsException.class)
            .hasMessage(tooMany.getMessage());
      }
    }
    assertThat(refused).isBetween(10, 190);
  }

  @Test
  void stopWhenTheSearchIsCancelled() throws Exception {
    List<AggregationBytes> shards;
    do {
      shards = shards(List.of(RandomAggregations.ofAllKinds(random).dates(1)));
    } while (!text(reduceObjects(shards, b -> {}), ToXContent.EMPTY_PARAMS, false)
        .contains("doc_count"));
    List<AggregationBytes> some = shards;
    assertThatThrownBy(() ->
            BucketwiseReducer.reduce(
                some,
                new BucketReduction(
                    context(buckets -> {}),
                    ToXContent.EMPTY_PARAMS,
                    breaker().createWorkspace(),
                    true,
                    () -> true)))
        .isInstanceOf(TaskCancelledException.class);
  }

  @Test
  void holdTheResponseAndOneBucket() throws Exception {
    List<AggregationBytes> shards = new ArrayList<>();
    for (int shard = 0; shard < 8; shard++) {
      List<ShardAggregations.Bucket> buckets = new ArrayList<>();
      for (long key = 0; key < 2000; key++) {
        TDigestState digest = new TDigestState(100);
        digest.add(random.nextDouble());
        InternalAggregations percentiles =
            InternalAggregations.from(
                List.of(
                    new InternalTDigestPercentiles(
                        "p", new double[] {50, 99}, digest, true, DocValueFormat.RAW, null)));
        buckets.add(new ShardAggregations.Bucket(key * 60_000, 1, percentiles));
      }
      ShardAggregations.Head head =
          new ShardAggregations.Head(
              "d", null, BucketOrder.key(true), 1, null, DocValueFormat.RAW, false);
      shards.add(
          bytes(
              InternalAggregations.from(List.of(ShardAggregations.dates(head, 0, buckets))),
              Version.CURRENT));
    }
    SearchCircuitBreaker breaker = breaker();
    ReductionWorkspace workspace = breaker.createWorkspace();
    InternalAggregations reduced =
        Objects.requireNonNull(
            BucketwiseReducer.reduce(
                shards,
                new BucketReduction(
                    context(buckets -> {}),
                    ToXContent.EMPTY_PARAMS,
                    workspace,
                    true,
                    () -> false)));
    int written = text(reduced, ToXContent.EMPTY_PARAMS, false).length();
    long most = account.usedBytes();
    workspace.retainResults();
    assertThat(account.usedBytes()).isBetween((long) written, 2L * written);
    assertThat(most).as("16,000 digests take 100 MB").isLessThan(2L * written + 2 * MB);
    breaker.close();
    assertThat(account.usedBytes()).isZero();
  }
}
