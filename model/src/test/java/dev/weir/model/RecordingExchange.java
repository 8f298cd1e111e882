package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** An exchange that records its calls and returns one distinct value for each method. */
public final class RecordingExchange {
  private static final BufferedResponse BUFFERED =
      new BufferedResponse(200, "", List.of(), List.of(), () -> {});

  private final List<Call> calls = new ArrayList<>();
  private final Map<Method, @Nullable Object> results = new HashMap<>();
  private final HttpExchange exchange =
      (HttpExchange)
          Proxy.newProxyInstance(
              HttpExchange.class.getClassLoader(),
              new Class<?>[] {HttpExchange.class},
              (proxy, method, arguments) -> {
                calls.add(new Call(method, arguments == null ? List.of() : List.of(arguments)));
                return method.getReturnType() == void.class ? null : resultOf(method);
              });

  /** One call of a method. */
  public record Call(Method method, List<Object> arguments) {}

  /** The exchange. */
  public HttpExchange exchange() {
    return exchange;
  }

  /** The calls so far. */
  public List<Call> calls() {
    return calls;
  }

  /** Sets what a method returns. */
  public void setResult(String method, @Nullable Object value) {
    for (Method candidate : HttpExchange.class.getMethods()) {
      if (candidate.getName().equals(method)) {
        results.put(candidate, value);
      }
    }
  }

  /** What a method returns; null for nothing. */
  public @Nullable Object resultOf(Method method) {
    if (method.getReturnType() == void.class) {
      return null;
    }
    if (!results.containsKey(method)) {
      results.put(method, distinctValue(method));
    }
    return results.get(method);
  }

  /** Asserts that a result is the one that this exchange returned. */
  public void assertResult(Method method, @Nullable Object result) {
    if (method.getReturnType().isPrimitive()) {
      assertThat(result).isEqualTo(resultOf(method)); // boxed twice
    } else {
      assertThat(result).isSameAs(resultOf(method));
    }
  }

  /** Arguments that a method can be called with. */
  public static Object[] arguments(Method method) {
    Class<?>[] types = method.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = argument(types[i]);
    }
    return arguments;
  }

  private static Object argument(Class<?> type) {
    if (type == long.class) {
      return 42L;
    }
    if (type == String.class) {
      return "reason";
    }
    if (type == Runnable.class) {
      return (Runnable) () -> {};
    }
    if (type == BufferedResponse.class) {
      return BUFFERED;
    }
    if (type == StreamingResponse.class) {
      return new StreamingResponse(
          200, "", List.of(), Objects.requireNonNull(proxy(BodySource.class)), () -> {});
    }
    throw new IllegalArgumentException("got " + type + " (expected: a known parameter type)");
  }

  private static Object distinctValue(Method method) {
    Class<?> type = method.getReturnType();
    if (type == String.class) {
      return method.getName() + " of the exchange";
    }
    if (type == List.class) {
      return new ArrayList<>();
    }
    if (type == boolean.class) {
      return true;
    }
    if (type == long.class) {
      return 123_456_789L;
    }
    if (type == ByteBuffer.class) {
      return ByteBuffer.allocate(0);
    }
    if (type == SocketAddress.class) {
      return InetSocketAddress.createUnresolved(method.getName(), 1);
    }
    if (type == Executor.class) {
      return (Executor) Runnable::run;
    }
    if (type == RequestPolicy.class) {
      return RequestPolicy.NONE;
    }
    return proxy(type);
  }

  private static <T> T proxy(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null));
  }
}
