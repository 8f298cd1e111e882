/**
 * One class an action (search, bulk, get, ...): resolves the request against the newest view, plans
 * it, and hands it to coordinate. The only room that sees OpenSearch's requests and the state
 * machines at once. Runs on the request's home.
 */
@NullMarked
package dev.weir.core.actions;

import org.jspecify.annotations.NullMarked;
