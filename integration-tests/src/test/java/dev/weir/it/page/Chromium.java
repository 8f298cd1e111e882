package dev.weir.it.page;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** A headless Chromium in a child process, which ends on {@link #close}. */
public final class Chromium implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome");
  private static final String LISTENING = "DevTools listening on ws://";
  private static final long START_SECONDS = 60;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final String address;

  private Chromium(Process process, String address) {
    this.process = process;
    this.address = address;
  }

  /**
   * Starts the browser of this machine; skips the tests where it has none.
   *
   * @param profile an empty folder of its own
   */
  public static Chromium startOrSkip(Path profile) throws Exception {
    Path binary = find();
    assumeTrue(
        binary != null,
        "no Chromium is found here: set CHROME_BIN, or install one (Debian: apt install chromium)");
    return start(Objects.requireNonNull(binary), profile);
  }

  /** The program; null where none is found. */
  private static @Nullable Path find() {
    String given = System.getenv("CHROME_BIN");
    if (given != null && Files.isExecutable(Path.of(given))) {
      return Path.of(given);
    }
    String path = System.getenv("PATH");
    return Stream.of((path == null ? "" : path).split(File.pathSeparator))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  private static Chromium start(Path binary, Path profile) throws Exception {
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(
        List.of(
            "--headless=new",
            "--no-sandbox", // it shows the gateway's own page alone, and may run as root
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-extensions",
            "--disable-background-networking",
            "--no-first-run",
            "--no-proxy-server",
            "--remote-debugging-port=0",
            "--user-data-dir=" + profile,
            "about:blank"));
    Process process =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    CompletableFuture<String> address = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> listen(process, address));
    try {
      return new Chromium(process, address.get(START_SECONDS, TimeUnit.SECONDS));
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** Reads its output to the end, so that it never blocks on a full pipe. */
  private static void listen(Process process, CompletableFuture<String> address) {
    StringBuilder said = new StringBuilder();
    try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(LISTENING)) {
          String rest = line.substring(LISTENING.length());
          address.complete(rest.substring(0, rest.indexOf('/')));
        }
        if (!address.isDone()) {
          said.append(line).append('\n');
        }
      }
    } catch (IOException e) {
      said.append(e);
    }
    address.completeExceptionally(new IOException("Chromium did not start: " + said));
  }

  /** Opens an empty tab. */
  public BrowserTab open() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + "/json/new?about:blank"))
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build();
    String body = http.send(request, BodyHandlers.ofString()).body();
    Object url =
        XContentHelper.convertToMap(JsonXContent.jsonXContent, body, false)
            .get("webSocketDebuggerUrl");
    return BrowserTab.connect(http, URI.create(String.valueOf(url)));
  }

  @Override
  public void close() {
    List<ProcessHandle> all = process.descendants().toList();
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    all.forEach(ProcessHandle::destroyForcibly);
    process.onExit().join();
    http.shutdownNow();
    http.close();
  }
}
