package dev.weir.core.reduce.buckets;

import static dev.weir.core.reduce.buckets.ShardAggregations.REGISTRIES;
import static dev.weir.core.reduce.buckets.ShardAggregations.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.core.reduce.buckets.RandomAggregations.Search;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.model.RequestContext;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.OpenSearchException;
import org.opensearch.Version;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.MultiBucketConsumerService.MultiBucketConsumer;

/**
 * Whatever a shard sends, the reduction gives a response, leaves it to the reduction of objects, or
 * fails with an error of OpenSearch. It gives all memory back.
 */
class BucketwiseReducerFuzz {
  private static final int MAX_BUCKETS = 1000;
  private static final long MB = 1 << 20;

  /** The search of the fuzzer's bytes. */
  private static final long SEARCH_SEED = 7;

  private final RequestMemoryAccount account =
      new GatewayMemory(
              new RequestMemoryPolicy(true, new ByteSize(16 * MB), new ByteSize(16 * MB), 0.8),
              new GatewayMemory.Pools(
                  new MemoryPool(MB), new MemoryPool(MB), new MemoryPool(16 * MB)),
              () -> 0)
          .openAccount("GET", "/", null);

  @FuzzTest
  void reducesOrRejects(byte[] shard) throws IOException {
    Random random = new Random(SEARCH_SEED);
    Search search = RandomAggregations.ofBoundedWork(random, false).search();
    check(search, shard, bytes(search.make(false), Version.CURRENT));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void reducesOrRejectsDamagedShards(long seed) throws IOException {
    Random random = new Random(seed);
    int reduced = 0;
    for (int round = 0; round < 700; round++) {
      Search search = RandomAggregations.ofBoundedWork(random, random.nextInt(4) == 0).search();
      BytesRef whole = bytes(search.make(false), Version.CURRENT).bytes();
      byte[] shard = Arrays.copyOfRange(whole.bytes, whole.offset, whole.offset + whole.length);
      for (int n = random.nextInt(4); n > 0 && shard.length > 0; n--) {
        shard = damage(shard, random);
      }
      reduced += check(search, shard, bytes(search.make(false), Version.CURRENT)) ? 1 : 0;
    }
    assertThat(reduced).isBetween(150, 650);
  }

  private static byte[] damage(byte[] shard, Random random) {
    int at = random.nextInt(shard.length);
    byte[] damaged = shard.clone();
    switch (random.nextInt(5)) {
      case 0 -> damaged[at] = (byte) random.nextInt();
      case 1 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> damaged = Arrays.copyOf(damaged, at);
      case 3 -> System.arraycopy(shard, at, damaged, random.nextInt(at + 1), shard.length - at);
      default -> damaged[at]++;
    }
    return damaged;
  }

  /** Returns whether there was a response. */
  private boolean check(Search search, byte[] shard, AggregationBytes other) {
    SearchCircuitBreaker breaker = breaker();
    try {
      InternalAggregations reduced =
          BucketwiseReducer.reduce(
              List.of(
                  new AggregationBytes(
                      new BytesRef(shard), Version.CURRENT, REGISTRIES.writeables()),
                  other),
              new BucketReduction(
                  ReduceContext.forFinalReduction(
                      BigArrays.NON_RECYCLING_INSTANCE,
                      null,
                      new MultiBucketConsumer(MAX_BUCKETS, breaker),
                      search.source().aggregations().buildPipelineTree()),
                  ToXContent.EMPTY_PARAMS,
                  ReductionPlan.of(search.source()),
                  breaker.createWorkspace(),
                  true,
                  () -> false));
      return reduced != null;
    } catch (OpenSearchException rejected) {
      return false;
    } catch (AssertionError rejected) {
      return false; // OpenSearch's own, which are off outside of tests
    } finally {
      breaker.close();
      assertThat(account.usedBytes()).isZero();
    }
  }

  private SearchCircuitBreaker breaker() {
    RequestContext request = new RequestContext(Runnable::run, 1, Map.of());
    request.resources().setMemory(account);
    return new ReduceServices(
            REGISTRIES, new NoopCircuitBreaker(CircuitBreaker.REQUEST), Runnable::run)
        .createBreaker(request, AggregationShape.NONE);
  }
}
