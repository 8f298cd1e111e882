package dev.weir.http;

import dev.weir.model.RequestLog;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Whom an {@link HttpServer} turns to with a request. All of it is called on event loops, of many
 * connections at once.
 *
 * @param destinations chooses where a request goes
 * @param gate looks at a request's head before its body is read
 * @param budget bounds the gathered bodies
 * @param log hears of each request once, when its last byte has left or its client went away
 * @param refusals whether one can ask later why the request of a number was refused
 * @param nanoClock such as {@link System#nanoTime()}
 */
public record FrontDesk(
    Destinations destinations,
    HeadGate gate,
    BodyBudget budget,
    Consumer<RequestLog> log,
    LongPredicate refusals,
    LongSupplier nanoClock) {}
