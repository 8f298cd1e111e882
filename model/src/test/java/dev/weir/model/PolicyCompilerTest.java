package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.RequestPolicy.Section;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PolicyCompilerTest {
  private final PolicyCompiler<String> compiler = new PolicyCompiler<>("first");
  private final Section<String> words =
      compiler.register((name, says, before) -> name + ":" + says);
  private final Section<Integer> generations =
      compiler
          .narrow(String::length)
          .register((name, length, before) -> before == null ? 1 : before + 1);

  private static RequestPolicy named(RequestPolicies all, String name) {
    return Objects.requireNonNull(all.namedPolicies().get(name));
  }

  @Test
  void eachPolicyHasItsOwnValueOfEachSection() {
    RequestPolicies all = compiler.compile("a", Map.of("p", "b", "q", "c"), null);
    assertThat(all.defaultPolicy().get(words)).isEqualTo(":a");
    assertThat(named(all, "p").get(words)).isEqualTo("p:b");
    assertThat(named(all, "q").get(words)).isEqualTo("q:c");
    assertThat(all.all()).extracting(RequestPolicy::name).containsExactly("", "p", "q");
  }

  @Test
  void whatHasNoPolicyGoesByWhatThereWasAtFirst() {
    compiler.compile("a", Map.of(), null);
    assertThat(RequestPolicy.NONE.get(words)).isEqualTo(":first");
  }

  @Test
  void aPolicyIsMadeOfTheOneOfItsNameBefore() {
    RequestPolicies first = compiler.compile("a", Map.of("p", "b"), null);
    assertThat(first.defaultPolicy().get(generations))
        .as("of what there was at first")
        .isEqualTo(2);
    assertThat(named(first, "p").get(generations)).isOne();
    RequestPolicies second = compiler.compile("a", Map.of("p", "b", "q", "b"), first);
    assertThat(second.defaultPolicy().get(generations)).isEqualTo(3);
    assertThat(named(second, "p").get(generations)).isEqualTo(2);
    assertThat(named(second, "q").get(generations)).isOne();
    assertThat(named(first, "p").get(generations)).as("stays as it is").isOne();
    RequestPolicies without = compiler.compile("a", Map.of(), second);
    RequestPolicies again = compiler.compile("a", Map.of("p", "b"), without);
    assertThat(named(again, "p").get(generations)).as("it was gone").isOne();
  }

  @Test
  void aSectionThatCameLaterHasItsFirstValueInOlderPolicies() {
    RequestPolicies before = compiler.compile("a", Map.of(), null);
    Section<String> late = compiler.register((name, says, last) -> "late " + says);
    assertThat(before.defaultPolicy().get(late)).isEqualTo("late first");
    assertThat(compiler.compile("a", Map.of(), before).defaultPolicy().get(late))
        .isEqualTo("late a");
  }

  @Test
  void whatCannotBeMadeLeavesAllAsItWas() {
    RequestPolicies before = compiler.compile("a", Map.of("p", "b"), null);
    compiler.register((name, says, last) -> {
      if (says.equals("bad")) {
        throw new IllegalStateException("a defect");
      }
      return says;
    });
    assertThatThrownBy(() -> compiler.compile("new", Map.of("p", "bad"), before))
        .hasMessage("a defect");
    assertThat(named(before, "p").get(words)).isEqualTo("p:b");
  }
}
