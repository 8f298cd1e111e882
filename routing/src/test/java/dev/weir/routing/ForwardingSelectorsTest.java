package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A selector that wraps another one must not fall back on a default of the interface. */
final class ForwardingSelectorsTest {
  @ParameterizedTest
  @ValueSource(classes = {WeightedSelector.class, PolicyAwareSelector.class})
  void forwardWhatAScoringSelectorDecides(Class<?> wrapper) {
    assertThat(decided(wrapper)).containsAll(decided(ScoringSelector.class));
  }

  /** The methods of the interface that a class implements itself. */
  private static List<String> decided(Class<?> type) {
    List<String> ofInterface = signatures(ReplicaSelector.class.getMethods());
    return signatures(type.getDeclaredMethods()).stream().filter(ofInterface::contains).toList();
  }

  private static List<String> signatures(Method[] methods) {
    return Arrays.stream(methods)
        .filter(method -> !method.isSynthetic())
        .map(method -> method.getName() + Arrays.toString(method.getParameterTypes()))
        .distinct()
        .toList();
  }
}
