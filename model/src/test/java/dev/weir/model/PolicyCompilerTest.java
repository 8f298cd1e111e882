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
  void compileOneValueForEachPolicyAndSection() {
    RequestPolicies all = compiler.compile("a", Map.of("p", "b", "q", "c"), null);
    assertThat(all.defaultPolicy().get(words)).isEqualTo(":a");
    assertThat(named(all, "p").get(words)).isEqualTo("p:b");
    assertThat(named(all, "q").get(words)).isEqualTo("q:c");
    assertThat(all.all()).extracting(RequestPolicy::name).containsExactly("", "p", "q");
  }

  @Test
  void useInitialValueWithoutAPolicy() {
    compiler.compile("a", Map.of(), null);
    assertThat(RequestPolicy.NONE.get(words)).isEqualTo(":first");
  }

  @Test
  void passThePreviousValueOfThePolicyOfTheSameName() {
    RequestPolicies first = compiler.compile("a", Map.of("p", "b"), null);
    assertThat(first.defaultPolicy().get(generations))
        .as("made from the initial value")
        .isEqualTo(2);
    assertThat(named(first, "p").get(generations)).isOne();
    RequestPolicies second = compiler.compile("a", Map.of("p", "b", "q", "b"), first);
    assertThat(second.defaultPolicy().get(generations)).isEqualTo(3);
    assertThat(named(second, "p").get(generations)).isEqualTo(2);
    assertThat(named(second, "q").get(generations)).isOne();
    assertThat(named(first, "p").get(generations)).as("older policies stay unchanged").isOne();
    RequestPolicies without = compiler.compile("a", Map.of(), second);
    RequestPolicies again = compiler.compile("a", Map.of("p", "b"), without);
    assertThat(named(again, "p").get(generations)).as("policy p did not exist in between").isOne();
  }

  @Test
  void rejectSectionThatIsRegisteredAfterCompiling() {
    compiler.compile("a", Map.of(), null);
    assertThatThrownBy(() -> compiler.register((name, says, before) -> "late " + says))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("registered after policies were compiled (2 sections)")
        .hasMessageContaining("before the first call of compile()");
    assertThatThrownBy(
            () -> compiler.narrow(String::length).register((name, length, before) -> length))
        .as("also through a registry of a part")
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void keepPoliciesWhenASectionCannotBeCreated() {
    compiler.register((name, says, last) -> {
      if (says.equals("bad")) {
        throw new IllegalStateException("a defect");
      }
      return says;
    });
    RequestPolicies before = compiler.compile("a", Map.of("p", "b"), null);
    assertThatThrownBy(() -> compiler.compile("new", Map.of("p", "bad"), before))
        .hasMessage("a defect");
    assertThat(named(before, "p").get(words)).isEqualTo("p:b");
  }
}
