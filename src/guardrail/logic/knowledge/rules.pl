/*  What follows from the facts of a knowledge base.

    KB is the module that holds one knowledge base:

        predicate_of(R, F)    the facts of relation R are the clauses F(Subject, Object)
        symmetric(R)          R(A,B) implies R(B,A)
        inverse(R, I)         I(B,A) implies R(A,B)
        implied(R, N)         N(A,B) implies R(A,B): N is the narrower relation
        transitive(R)         R(A,B) and R(B,C) imply R(A,C)
        chain(R, R1, R2)      R1(A,C) and R2(C,B) imply R(A,B)
        composite(Same, R)    R(A,C) and R(B,C), A not B, imply Same(A,B)
        functional(R)         a subject has one object
        complete(R)           where facts about a subject name any object, they name all
        asymmetric(R)         R(A,B) excludes R(B,A)

    A proof is [Rule, Relation, Subject, Object, Premises]; its leaves have the rule `fact` and no premises. In a
    proof by `functional`, `complete`, `asymmetric` or `different` the conclusion is that the triple does NOT hold;
    so it is in a proof by `not_implied` or `not_inverse`, whose one premise is such a proof.

    Where an argument is said to be bound, it is an atom. Nothing here is ever made from text.
*/
:- module(guardrail_rules, [fact/4, step/5, proved/5, refuted/5, reach/4, reach_back/4, known/2]).
:- use_module(library(lists)).
:- use_module(library(rbtrees)).

fact(KB, R, A, B) :-
    KB:predicate_of(R, F),
    call(KB:F, A, B).

known(KB, Entity) :-
    KB:predicate_of(_, F),
    (   call(KB:F, Entity, _)
    ;   call(KB:F, _, Entity)
    ),
    !.

% --- one step ------------------------------------------------------------------------------------------------
% inverse/2 and implied/2 are closed: what a narrower relation's converse implies stands there itself.

step(KB, R, A, B, [fact, R, A, B, []]) :-
    fact(KB, R, A, B).
step(KB, R, A, B, [symmetric, R, A, B, [[fact, R, B, A, []]]]) :-
    KB:symmetric(R),
    fact(KB, R, B, A).
step(KB, R, A, B, [inverse, R, A, B, [[fact, I, B, A, []]]]) :-
    KB:inverse(R, I),
    fact(KB, I, B, A).
step(KB, R, A, B, [implied, R, A, B, [[fact, N, A, B, []]]]) :-
    KB:implied(R, N),
    fact(KB, N, A, B).

% --- any number of steps -------------------------------------------------------------------------------------
% Tabled: each entity is reached once, so cycles end. Called with A bound, forwards or backwards.

:- table reach/4, reach_back/4.

reach(KB, R, A, B) :-
    step(KB, R, A, B, _).
reach(KB, R, A, B) :-
    reach(KB, R, A, C),
    step(KB, R, C, B, _).

reach_back(KB, R, B, A) :-
    step(KB, R, A, B, _).
reach_back(KB, R, B, A) :-
    reach_back(KB, R, B, C),
    step(KB, R, A, C, _).

%  path(+KB, +R, +A, +B, -Proofs): the proofs of the steps of a shortest way from A to B; A is not B.
path(KB, R, A, B, Proofs) :-
    search(KB, R, A, B, Seen),
    way_back(B, Seen, [], Proofs).

%  paths(+KB, +R, +A, -B, -Proofs): the same to all that is reached, by one search; in order of name.
paths(KB, R, A, B, Proofs) :-
    search(KB, R, A, _, Seen),
    rb_in(B, _, Seen),
    A \== B,
    way_back(B, Seen, [], Proofs).

%  search(+KB, +R, +A, ?B, -Seen): breadth first from A, until B is seen or all; how each was first reached.
search(KB, R, A, B, Seen) :-
    rb_new(Seen0),
    rb_insert_new(Seen0, A, start, Seen1),
    levels([A], KB, R, B, Seen1, Seen).

levels(Level, KB, R, B, Seen0, Seen) :-
    foldl(neighbours(KB, R), Level, []-Seen0, Next-Seen1),
    (   nonvar(B),
        rb_lookup(B, _, Seen1)
    ->  Seen = Seen1
    ;   Next == []
    ->  Seen = Seen1
    ;   levels(Next, KB, R, B, Seen1, Seen)
    ).

neighbours(KB, R, A, Next0-Seen0, Next-Seen) :-
    findall(B-Proof, step(KB, R, A, B, Proof), Steps),
    foldl(visited, Steps, Next0-Seen0, Next-Seen).

visited(B-Proof, Next-Seen0, [B|Next]-Seen) :-
    rb_insert_new(Seen0, B, Proof, Seen),
    !.
visited(_, State, State).

way_back(B, Seen, Done, Proofs) :-
    rb_lookup(B, Value, Seen),
    (   Value = [_, _, A, _, _]
    ->  way_back(A, Seen, [Value|Done], Proofs)
    ;   Proofs = Done
    ).

% --- what holds ----------------------------------------------------------------------------------------------

%  proved(+KB, +R, ?A, ?B, -Proof): A is bound for the transitive rule and for chains.
proved(KB, R, A, B, Proof) :-
    step(KB, R, A, B, Proof).
proved(KB, R, A, B, [transitive, R, A, B, Steps]) :-
    KB:transitive(R),
    (   var(B)
    ->  paths(KB, R, A, B, Steps)
    ;   A \== B,
        path(KB, R, A, B, Steps)
    ),
    Steps = [_, _|_].
proved(KB, R, A, B, [chain, R, A, B, [First, Second]]) :-
    KB:chain(R, R1, R2),
    link(KB, R1, A, C, First),
    link(KB, R2, C, B, Second),
    A \== B.
proved(KB, Same, A, B, [composite, Same, A, B, [First, Second]]) :-
    KB:composite(Same, R),
    step(KB, R, A, C, First),
    step(KB, R, B, C, Second),
    A \== B.

link(KB, R, A, C, Proof) :-
    step(KB, R, A, C, Proof).
link(KB, R, A, C, [transitive, R, A, C, Steps]) :-
    KB:transitive(R),
    (   var(C)
    ->  paths(KB, R, A, C, Steps)
    ;   A \== C,
        path(KB, R, A, C, Steps)
    ),
    Steps = [_, _|_].

% --- what does not hold --------------------------------------------------------------------------------------
% Never from mere absence: only where the relation is declared to leave no room for another value, and only about
% entities that the knowledge base knows. Call it for triples that are not proved; A and B are bound.

refuted(KB, R, A, B, Proof) :-
    excluded(KB, R, A, B, Proof).
refuted(KB, R, A, B, [not_implied, R, A, B, [Proof]]) :-
    KB:implied(Broader, R),
    excluded(KB, Broader, A, B, Proof).
refuted(KB, I, B, A, [not_inverse, I, B, A, [Proof]]) :-
    KB:inverse(R, I),
    excluded(KB, R, A, B, Proof).

excluded(KB, R, A, B, [functional, R, A, B, [Proof]]) :-
    KB:functional(R),
    objects(KB, R, A, [C-Proof]),
    C \== B,
    known(KB, B).
excluded(KB, R, A, B, [complete, R, A, B, Proofs]) :-
    KB:complete(R),
    listed(KB, R, A, Listed),
    \+ step(KB, R, A, B, _),
    known(KB, B),
    pairs_values(Listed, Proofs).
excluded(KB, R, A, B, [asymmetric, R, A, B, [Proof]]) :-
    KB:asymmetric(R),
    A \== B,
    once(proved(KB, R, B, A, Proof)).
excluded(KB, Same, A, B, [different, Same, A, B, Proofs]) :-
    KB:composite(Same, R),
    A \== B,
    whole(KB, R, A, First),
    whole(KB, R, B, Second),
    \+ ( step(KB, R, A, C, _), step(KB, R, B, C, _) ),
    append(First, Second, Both),
    pairs_values(Both, Proofs).

%  whole(+KB, +R, +A, -Pairs): all objects of A, where the facts are known to name them all.
whole(KB, R, A, Pairs) :-
    KB:functional(R),
    objects(KB, R, A, Pairs),
    Pairs = [_],
    !.
whole(KB, R, A, Pairs) :-
    KB:complete(R),
    listed(KB, R, A, Pairs).

%  listed(+KB, +R, +A, -Pairs): the objects that stand in facts about A. What follows from facts about others does
%  not count: a list of capitals is whole where it is given with the country, not where some cities name theirs.
listed(KB, R, A, Pairs) :-
    findall(B-[fact, R, A, B, []], fact(KB, R, A, B), Pairs),
    Pairs = [_|_].

%  objects(+KB, +R, +A, -Pairs): each object once, with a proof, in the order of its name.
objects(KB, R, A, Pairs) :-
    findall(B-Proof, step(KB, R, A, B, Proof), Found),
    sort(1, @<, Found, Pairs).
