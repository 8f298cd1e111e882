package dev.weir.testkit.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestMutatorTest {
  /** Several changes may leave a body of nothing but blanks. */
  @Test
  void changeBodiesWithoutTokens() {
    RequestMutator mutator = new RequestMutator(TestSeed.random(RequestMutatorTest.class));
    for (int i = 0; i < 1_000; i++) {
      SeedRequest changed = mutator.mutate(new SeedRequest("POST", "/_search", " \n"));
      assertThat(changed.path()).startsWith("/");
    }
  }

  @Test
  void changeTheSameRequestInTheSameWay() {
    SeedRequest seed = new SeedRequest("POST", "/_search", "{\"query\":{\"match_all\":{}}}");
    RequestMutator one = new RequestMutator(new Random(7));
    RequestMutator other = new RequestMutator(new Random(7));
    for (int i = 0; i < 1_000; i++) {
      assertThat(one.mutate(seed)).isEqualTo(other.mutate(seed));
    }
  }
}
