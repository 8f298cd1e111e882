package dev.weir.it.page;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/** A tab of a browser, driven by the DevTools protocol. */
public final class BrowserTab implements AutoCloseable {
  private static final long ANSWER_SECONDS = 60;
  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final long PAUSE_MILLIS = 50;

  private final AtomicInteger calls = new AtomicInteger();
  private final Map<Integer, CompletableFuture<Map<String, Object>>> open =
      new ConcurrentHashMap<>();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private final WebSocket socket;

  private BrowserTab(HttpClient http, URI address) {
    this.socket = http.newWebSocketBuilder().buildAsync(address, new Listener()).join();
  }

  static BrowserTab connect(HttpClient http, URI address) throws Exception {
    BrowserTab tab = new BrowserTab(http, address);
    for (String domain : List.of("Page", "Runtime", "Log")) {
      tab.call(domain + ".enable", Map.of());
    }
    return tab;
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        take(XContentHelper.convertToMap(JsonXContent.jsonXContent, text.toString(), true));
        text.setLength(0);
      }
      from.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onError(WebSocket from, Throwable why) {
      open.values().forEach(call -> call.completeExceptionally(why));
    }
  }

  private void take(Map<String, Object> message) {
    if (message.get("id") instanceof Integer id) {
      CompletableFuture<Map<String, Object>> call = open.remove(id);
      if (call != null) {
        call.complete(message);
      }
      return;
    }
    String method = String.valueOf(message.get("method"));
    String told = String.valueOf(message.get("params"));
    boolean error = method.equals("Runtime.exceptionThrown");
    error |= method.equals("Runtime.consoleAPICalled") && told.contains("type=error");
    error |= method.equals("Log.entryAdded") && told.contains("level=error");
    if (error) {
      problems.add(told);
    }
  }

  /** The errors of the page and its console so far. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** Calls a method of the DevTools protocol. */
  public Map<String, Object> call(String method, Map<String, ?> parameters) throws Exception {
    int id = calls.incrementAndGet();
    CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
    open.put(id, answer);
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.map(Map.of("id", id, "method", method, "params", parameters));
      socket.sendText(json.toString(), true).join();
    }
    Map<String, Object> message = answer.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    if (message.get("result") instanceof Map<?, ?> result) {
      @SuppressWarnings("unchecked")
      Map<String, Object> told = (Map<String, Object>) result;
      return told;
    }
    throw new IOException(method + ": got " + message + " (expected: a result)");
  }

  /** Opens an address and waits until it is loaded. */
  public void navigate(String address) throws Exception {
    call("Page.navigate", Map.of("url", address));
    awaitTrue("location.href === " + quoted(address) + " && document.readyState === 'complete'");
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "\\'") + "'";
  }

  /** Evaluates an expression in the page, and awaits a promise. */
  public Object evaluate(String expression) throws Exception {
    Map<String, Object> told =
        call(
            "Runtime.evaluate",
            Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
    if (told.containsKey("exceptionDetails")) {
      throw new IOException(expression + ": got " + told + " (expected: a value)");
    }
    Object value = told.get("result") instanceof Map<?, ?> result ? result.get("value") : null;
    return value == null ? "" : value;
  }

  /** Returns the text of an element. */
  public String textOf(String id) throws Exception {
    return String.valueOf(evaluate("document.getElementById('" + id + "').innerText"));
  }

  /** Waits until an expression is true in the page. */
  public void awaitTrue(String expression) throws Exception {
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (!Boolean.TRUE.equals(evaluate("!!(" + expression + ")"))) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "not true in time: "
                + expression
                + "\nthe page: "
                + evaluate("document.body.innerText"));
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /** Presses a key. */
  public void pressKey(String key, int code, String text) throws Exception {
    for (String type : List.of("keyDown", "keyUp")) {
      Map<String, Object> event =
          Map.of(
              "type",
              type,
              "key",
              key,
              "code",
              key,
              "windowsVirtualKeyCode",
              code,
              "text",
              type.equals("keyDown") ? text : "");
      call("Input.dispatchKeyEvent", event);
    }
  }

  /** Sets the width of the page, or resets it to the window's. */
  public void setWidth(int pixels) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", pixels, "height", 800, "deviceScaleFactor", 1, "mobile", pixels < 600));
  }

  /** Emulates a preference for {@code light} or {@code dark}. */
  public void setColorScheme(String name) throws Exception {
    call(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
  }

  @Override
  public void close() {
    socket.abort();
  }
}
