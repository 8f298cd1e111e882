package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForwardingExchangeTest {
  @Test
  void declareEveryMethodOfTheExchange() throws NoSuchMethodException {
    Set<String> missing = new TreeSet<>();
    for (Method method : methods()) {
      Method found =
          ForwardingExchange.class.getMethod(method.getName(), method.getParameterTypes());
      if (!found.getDeclaringClass().equals(ForwardingExchange.class)) {
        missing.add(method.toString());
      }
    }
    assertThat(missing).as("methods whose default a filter would inherit").isEmpty();
  }

  @ParameterizedTest
  @MethodSource("methods")
  void forwardEachMethodWithItsArgumentsAndResult(Method method) throws Exception {
    RecordingExchange recording = new RecordingExchange();
    HttpExchange forwarding = new ForwardingExchange(recording.exchange()) {};
    Object[] arguments = RecordingExchange.arguments(method);

    Object result = method.invoke(forwarding, arguments);

    assertThat(recording.calls())
        .containsExactly(new RecordingExchange.Call(method, Arrays.asList(arguments)));
    recording.assertResult(method, result);
  }

  static List<Method> methods() {
    return Arrays.stream(HttpExchange.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .toList();
  }
}
