package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.RequestPolicy.Section;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PolicyCompilerTest {
  private final PolicyCompiler<String> compiler = new PolicyCompiler<>("first");
  private final Section<String> words = compiler.add((name, says, before) -> name + ":" + says);
  private final Section<Integer> generations =
      compiler.of(String::length).add((name, length, before) -> before == null ? 1 : before + 1);

  private static RequestPolicy named(RequestPolicies all, String name) {
    return Objects.requireNonNull(all.named().get(name));
  }

  @Test
  void eachPolicyHasItsOwnValueOfEachSection() {
    RequestPolicies all = compiler.compile("a", Map.of("p", "b", "q", "c"), null);
    assertThat(all.standard().of(words)).isEqualTo(":a");
    assertThat(named(all, "p").of(words)).isEqualTo("p:b");
    assertThat(named(all, "q").of(words)).isEqualTo("q:c");
    assertThat(all.all()).extracting(RequestPolicy::name).containsExactly("", "p", "q");
  }

  @Test
  void whatHasNoPolicyGoesByWhatThereWasAtFirst() {
    compiler.compile("a", Map.of(), null);
    assertThat(RequestPolicy.NONE.of(words)).isEqualTo(":first");
  }

  @Test
  void aPolicyIsMadeOfTheOneOfItsNameBefore() {
    RequestPolicies first = compiler.compile("a", Map.of("p", "b"), null);
    assertThat(first.standard().of(generations)).as("of what there was at first").isEqualTo(2);
    assertThat(named(first, "p").of(generations)).isOne();
    RequestPolicies second = compiler.compile("a", Map.of("p", "b", "q", "b"), first);
    assertThat(second.standard().of(generations)).isEqualTo(3);
    assertThat(named(second, "p").of(generations)).isEqualTo(2);
    assertThat(named(second, "q").of(generations)).isOne();
    assertThat(named(first, "p").of(generations)).as("stays as it is").isOne();
    RequestPolicies without = compiler.compile("a", Map.of(), second);
    RequestPolicies again = compiler.compile("a", Map.of("p", "b"), without);
    assertThat(named(again, "p").of(generations)).as("it was gone").isOne();
  }

  @Test
  void aSectionThatCameLaterHasItsFirstValueInOlderPolicies() {
    RequestPolicies before = compiler.compile("a", Map.of(), null);
    Section<String> late = compiler.add((name, says, last) -> "late " + says);
    assertThat(before.standard().of(late)).isEqualTo("late first");
    assertThat(compiler.compile("a", Map.of(), before).standard().of(late)).isEqualTo("late a");
  }

  @Test
  void whatCannotBeMadeLeavesAllAsItWas() {
    RequestPolicies before = compiler.compile("a", Map.of("p", "b"), null);
    compiler.add((name, says, last) -> {
      if (says.equals("bad")) {
        throw new IllegalStateException("a defect");
      }
      return says;
    });
    assertThatThrownBy(() -> compiler.compile("new", Map.of("p", "bad"), before))
        .hasMessage("a defect");
    assertThat(named(before, "p").of(words)).isEqualTo("p:b");
  }
}
