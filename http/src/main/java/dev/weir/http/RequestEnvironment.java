package dev.weir.http;

import dev.weir.model.CompletedRequest;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Whom an {@link HttpServer} turns to with a request. All of it is called on event loops, of many
 * connections at once.
 *
 * @param destinations chooses where a request goes
 * @param headerFilter looks at a request's head before its body is read
 * @param bodyBudget bounds the gathered bodies
 * @param requestLog hears of each request once, when its last byte has left or its client went away
 * @param hasRejectionRecord whether one can ask later why the request of a number was refused
 * @param nanoClock such as {@link System#nanoTime()}
 */
public record RequestEnvironment(
    DestinationSelector destinations,
    HeaderFilter headerFilter,
    BodyBudget bodyBudget,
    Consumer<CompletedRequest> requestLog,
    LongPredicate hasRejectionRecord,
    LongSupplier nanoClock) {}
