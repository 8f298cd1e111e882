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
import dev.weir.core.reduce.buckets.RandomAggregations.Search;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceCostClassifier;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.ReductionWorkspace;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.model.RequestContext;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
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
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.AggregationExecutionException;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.MultiBucketConsumerService.MultiBucketConsumer;
import org.opensearch.search.aggregations.MultiBucketConsumerService.TooManyBucketsException;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.TDigestState;
import org.opensearch.search.builder.SearchSourceBuilder;

/** A response written from merged buckets equals OpenSearch's, byte for byte. */
@Drawn(oneIn = 3)
class BucketwiseReducerTest {
  private static final long MB = 1 << 20;

  private final Random random = TestSeed.random(BucketwiseReducerTest.class);
  private final RequestMemoryAccount account =
      new GatewayMemory(
              new RequestMemoryPolicy(true, new ByteSize(500 * MB), new ByteSize(500 * MB), 0.8),
              new GatewayMemory.Pools(
                  new MemoryPool(MB), new MemoryPool(MB), new MemoryPool(500 * MB)),
              () -> 0)
          .openAccount("GET", "/", null);

  private static ReduceContext context(Search search, IntConsumer buckets) {
    return ReduceContext.forFinalReduction(
        BigArrays.NON_RECYCLING_INSTANCE,
        null,
        buckets,
        search.source().aggregations().buildPipelineTree());
  }

  private static BucketReduction reduction(
      Search search, ToXContent.Params params, ReductionWorkspace workspace, IntConsumer buckets) {
    return new BucketReduction(
        context(search, buckets),
        params,
        ReductionPlan.of(search.source()),
        workspace,
        ReduceCostClassifier.canAmplifyMemory(search.source()),
        () -> false);
  }

  private SearchCircuitBreaker breaker() {
    RequestContext request = new RequestContext(Runnable::run, 1, Map.of());
    request.resources().setMemory(account);
    return new ReduceServices(
            REGISTRIES, new NoopCircuitBreaker(CircuitBreaker.REQUEST), Runnable::run)
        .createBreaker(request, AggregationShape.NONE);
  }

  private @Nullable InternalAggregations reduce(
      Search search, List<AggregationBytes> shards, ToXContent.Params params, IntConsumer buckets) {
    SearchCircuitBreaker breaker = breaker();
    ReductionWorkspace workspace = breaker.createWorkspace();
    try {
      InternalAggregations reduced =
          BucketwiseReducer.reduce(shards, reduction(search, params, workspace, buckets));
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
      Search search, List<AggregationBytes> shards, IntConsumer buckets) throws IOException {
    List<InternalAggregations> objects = new ArrayList<>();
    for (AggregationBytes shard : shards) {
      objects.add(read(shard));
    }
    InternalAggregations reduced =
        InternalAggregations.topLevelReduce(objects, context(search, buckets));
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

  private List<AggregationBytes> shards(Search search) throws IOException {
    return shards(search, Version.CURRENT);
  }

  private List<AggregationBytes> shards(Search search, Version version) throws IOException {
    List<AggregationBytes> shards = new ArrayList<>();
    for (int shard = random.nextInt(6); shard >= 0; shard--) {
      shards.add(bytes(search.make(random.nextInt(6) == 0), version));
    }
    return shards;
  }

  @Test
  void writeTheSameResponseAsOpenSearch() throws Exception {
    for (int round = 0; round < 2000; round++) {
      boolean pretty = round % 4 == 0;
      Search search =
          (pretty ? RandomAggregations.withoutHits(random) : RandomAggregations.ofAllKinds(random))
              .search();
      List<AggregationBytes> shards = shards(search);
      assertSameResponse(search, shards, pretty);
    }
    for (int round = 0; round < 500; round++) {
      Search search = RandomAggregations.ofNumbers(random).search();
      assertSameResponse(search, shards(search, Version.V_2_19_0), false);
    }
  }

  private void assertSameResponse(Search search, List<AggregationBytes> shards, boolean pretty)
      throws IOException {
    boolean typed = random.nextBoolean();
    ToXContent.Params params =
        new ToXContent.MapParams(Map.of("typed_keys", String.valueOf(typed)));
    List<Integer> theirBuckets = new ArrayList<>();
    InternalAggregations theirs = reduceObjects(search, shards, theirBuckets::add);
    List<Integer> ourBuckets = new ArrayList<>();
    InternalAggregations ours =
        Objects.requireNonNull(reduce(search, shards, params, ourBuckets::add), "it is supported");

    assertThat(text(ours, params, false)).isEqualTo(text(theirs, params, false));
    if (pretty) {
      assertThat(text(ours, params, true)).isEqualTo(text(theirs, params, true));
    }
    assertThat(ourBuckets.stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(theirBuckets.stream().mapToInt(Integer::intValue).sum());
  }

  @Test
  void runPipelinesLikeOpenSearch() throws Exception {
    for (int round = 0; round < 1000; round++) {
      Search search = RandomAggregations.withPipelines(random).search();
      assertSameResponse(search, shards(search), round % 4 == 0);
    }
  }

  @Test
  void leaveFailingPipelinesToTheReductionOfObjects() throws Exception {
    Search search = RandomAggregations.withPipelines(random).search();
    AggregationBuilder first = search.nodes().getFirst().builder();
    search.source().aggregation(PipelineAggregatorBuilders.avgBucket("f", first.getName()));
    List<AggregationBytes> shards = shards(search);
    assertThatThrownBy(() -> reduceObjects(search, shards, buckets -> {}))
        .isInstanceOf(RuntimeException.class);
    assertThat(reduce(search, shards, ToXContent.EMPTY_PARAMS, buckets -> {})).isNull();
  }

  @Test
  void reportTruncatedBytes() throws Exception {
    for (int round = 0; round < 20; round++) {
      RandomAggregations all = RandomAggregations.ofAllKinds(random);
      Search search = all.search(List.of(all.dates(1)));
      List<AggregationBytes> shards = new ArrayList<>(shards(search));
      BytesRef whole = shards.getFirst().bytes();
      int step = 1 + whole.length / 300;
      for (int length = 0; length < whole.length; length += step) {
        BytesRef cut = new BytesRef(whole.bytes, whole.offset, length);
        shards.set(
            0, new AggregationBytes(cut, shards.getLast().version(), shards.getLast().registry()));
        assertThatThrownBy(() -> reduce(search, shards, ToXContent.EMPTY_PARAMS, buckets -> {}))
            .isInstanceOf(AggregationExecutionException.class)
            .hasMessageContaining("can't be read");
      }
    }
  }

  @Test
  void endOnMalformedBytes() throws Exception {
    int failed = 0;
    for (int round = 0; round < 500; round++) {
      RandomAggregations numbers = RandomAggregations.ofNumbers(random);
      Search search = numbers.search(List.of(numbers.dates(1)));
      List<AggregationBytes> shards = shards(search);
      BytesRef whole = shards.getFirst().bytes();
      for (int change = random.nextInt(3); change >= 0; change--) {
        whole.bytes[whole.offset + random.nextInt(whole.length)] = (byte) random.nextInt(256);
      }
      IntConsumer atMost = new MultiBucketConsumer(1000, breaker());
      try {
        failed += reduce(search, shards, ToXContent.EMPTY_PARAMS, atMost) == null ? 1 : 0;
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
      RandomAggregations all = RandomAggregations.ofAllKinds(random);
      Search search = all.search(List.of(all.dates(2)));
      List<AggregationBytes> shards = shards(search);
      MultiBucketConsumer theirs = new MultiBucketConsumer(20, breaker());
      MultiBucketConsumer ours = new MultiBucketConsumer(20, breaker());
      try {
        reduceObjects(search, shards, theirs);
        assertThat(reduce(search, shards, ToXContent.EMPTY_PARAMS, ours)).isNotNull();
      } catch (TooManyBucketsException tooMany) {
        refused++;
        assertThatThrownBy(() -> reduce(search, shards, ToXContent.EMPTY_PARAMS, ours))
            .isInstanceOf(TooManyBucketsException.class)
            .hasMessage(tooMany.getMessage());
      }
    }
    assertThat(refused).isBetween(10, 190);
  }

  @Test
  void stopWhenTheSearchIsCancelled() throws Exception {
    RandomAggregations all = RandomAggregations.ofAllKinds(random);
    Search search = all.search(List.of(all.dates(1)));
    List<AggregationBytes> shards = shards(search);
    while (!text(reduceObjects(search, shards, b -> {}), ToXContent.EMPTY_PARAMS, false)
        .contains("doc_count")) {
      shards = shards(search);
    }
    List<AggregationBytes> some = shards;
    assertThatThrownBy(() ->
            BucketwiseReducer.reduce(
                some,
                new BucketReduction(
                    context(search, buckets -> {}),
                    ToXContent.EMPTY_PARAMS,
                    ReductionPlan.of(search.source()),
                    breaker().createWorkspace(),
                    true,
                    () -> true)))
        .isInstanceOf(TaskCancelledException.class);
  }

  @Test
  void holdTheResponseAndOneBucket() throws Exception {
    Search search = search(datesWithPercentiles());
    assertHoldsLittle(search, shards(8, () -> histogram(2000, 100)), "16,000 digests take 390 MB");
  }

  @Test
  void holdTheResponseAndOneBucketOfEachTerm() throws Exception {
    Search search = search(AggregationBuilders.terms("t").subAggregation(datesWithPercentiles()));
    assertHoldsLittle(
        search,
        shards(
            8,
            () -> {
              List<StringTerms.Bucket> buckets = new ArrayList<>();
              for (char key = 'a'; key < 'k'; key++) {
                buckets.add(
                    new StringTerms.Bucket(
                        new BytesRef(String.valueOf(key)),
                        200,
                        InternalAggregations.from(List.of(histogram(200, 100))),
                        false,
                        0,
                        DocValueFormat.RAW));
              }
              return terms(buckets);
            }),
        "16,000 digests take 390 MB");
  }

  @Test
  void holdValuesInsteadOfDigests() throws Exception {
    Search search =
        search(
            datesWithPercentiles()
                .subAggregation(PipelineAggregatorBuilders.cumulativeSum("c", "_count")));
    List<AggregationBytes> shards = shards(8, () -> histogram(2000, 100));
    SearchCircuitBreaker breaker = breaker();
    ReductionWorkspace workspace = breaker.createWorkspace();
    assertThat(
            BucketwiseReducer.reduce(
                shards, reduction(search, ToXContent.EMPTY_PARAMS, workspace, buckets -> {})))
        .isNotNull();
    assertThat(account.usedBytes()).as("2,000 digests take 49 MB").isLessThan(6 * MB);
    breaker.close();
    assertThat(account.usedBytes()).isZero();
  }

  private static DateHistogramAggregationBuilder datesWithPercentiles() {
    return AggregationBuilders.dateHistogram("d")
        .fixedInterval(DateHistogramInterval.MINUTE)
        .subAggregation(AggregationBuilders.percentiles("p"));
  }

  private static Search search(AggregationBuilder one) {
    return new Search(List.of(), new SearchSourceBuilder().aggregation(one));
  }

  private static StringTerms terms(List<StringTerms.Bucket> buckets) {
    BucketOrder order = BucketOrder.compound(BucketOrder.count(false));
    return new StringTerms(
        "t",
        BucketOrder.key(true),
        order,
        null,
        DocValueFormat.RAW,
        25,
        false,
        0,
        buckets,
        0,
        new BucketCountThresholds(1, 0, 10, 25));
  }

  /** A histogram with a digest in each bucket. */
  private InternalAggregation histogram(int size, double compression) throws IOException {
    List<ShardAggregations.Bucket> buckets = new ArrayList<>();
    for (long key = 0; key < size; key++) {
      TDigestState digest = new TDigestState(compression);
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
    return ShardAggregations.dates(head, 0, buckets);
  }

  private static List<AggregationBytes> shards(int count, Callable<InternalAggregation> shard)
      throws Exception {
    List<AggregationBytes> shards = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shards.add(bytes(InternalAggregations.from(List.of(shard.call())), Version.CURRENT));
    }
    return shards;
  }

  private void assertHoldsLittle(Search search, List<AggregationBytes> shards, String otherwise)
      throws IOException {
    SearchCircuitBreaker breaker = breaker();
    ReductionWorkspace workspace = breaker.createWorkspace();
    InternalAggregations reduced =
        Objects.requireNonNull(
            BucketwiseReducer.reduce(
                shards, reduction(search, ToXContent.EMPTY_PARAMS, workspace, buckets -> {})));
    int written = text(reduced, ToXContent.EMPTY_PARAMS, false).length();
    long most = account.usedBytes();
    workspace.retainResults();
    assertThat(account.usedBytes()).isBetween((long) written, 3L * written);
    assertThat(most).as(otherwise).isLessThan(3L * written + 2 * MB);
    breaker.close();
    assertThat(account.usedBytes()).isZero();
  }
}
