/*  What Python may call: `serve` and, through it, the predicates listed by `service`.

    Arguments and replies are atoms, numbers and lists of them. Nothing is ever parsed, so a label cannot become
    a goal, whatever it holds.
*/
:- module(guardrail_services, [serve/4]).
:- set_prolog_flag(stack_limit, 4294967296).  % bytes, a limit and no allocation
:- set_prolog_flag(table_space, 4294967296).
:- use_module(library(lists)).
:- use_module(library(apply)).
:- use_module(library(pairs)).
:- use_module(library(random)).
:- use_module(library(solution_sequences)).
:- use_module(library(time)).
:- use_module(rules).

service(version, 1).
service(compile, 3).
service(load, 3).
service(unload, 3).
service(declare, 3).
service(ask, 5).
service(prove, 5).
service(refute, 5).
service(objects, 4).
service(subjects, 4).
service(closure, 4).
service(about, 3).
service(facts, 5).
service(bases, 4).
service(hubs, 3).
service(sharing, 4).
service(consequences, 6).
service(time_queries, 4).
service(reads_as, 3).
service(spin, 1).

%  serve(+Name, +Arguments, +Seconds, -Reply): [ok, Value], [failed], [limit, Which] or [error, Text].
serve(Name, Arguments, Seconds, Reply) :-
    catch(served(Name, Arguments, Seconds, Reply), Error, explained(Error, Reply)).

served(Name, Arguments, Seconds, Reply) :-
    append(Arguments, [Value], All),
    length(All, Arity),
    (   service(Name, Arity)
    ->  Goal =.. [Name|All]
    ;   throw(error(existence_error(service, Name/Arity), _))
    ),
    (   limited(guardrail_services:Goal, Seconds)
    ->  Reply = [ok, Value]
    ;   Reply = [failed]
    ).

limited(Goal, Seconds) :-
    (   Seconds =:= 0
    ->  once(Goal)
    ;   call_with_time_limit(Seconds, Goal)
    ).

explained(time_limit_exceeded, [limit, seconds]) :- !.
explained(error(resource_error(What), _), [limit, Text]) :-
    !,
    format(atom(Text), '~w', [What]).
explained(Error, [error, Text]) :-
    format(atom(Text), '~W', [Error, [quoted(true), max_depth(20)]]).

% --- knowledge bases -----------------------------------------------------------------------------------------

version(Version) :-
    current_prolog_flag(version, Version).

%  compile(+Text, +KB, -Compiled): translate a file of facts that `quoting` wrote; KB is a module of its own for it.
compile(Text, KB, Compiled) :-
    qcompile(KB:Text, [encoding(utf8), silent(true)]),
    file_name_extension(Base, _, Text),
    file_name_extension(Base, qlf, Compiled),
    forgotten(KB).

%  load(+Compiled, +KB, -Count): read the facts into the module KB.
load(Compiled, KB, Count) :-
    load_files(KB:Compiled, [silent(true), if(true)]),
    forall(declared(Name/Arity), dynamic(KB:Name/Arity)),
    forall(functor_of(KB, F), assertion_of(KB, F)),
    aggregate_clauses(KB, Count),
    garbage_collect_atoms.

declared(predicate_of/2).
declared(symmetric/1).
declared(inverse/2).
declared(implied/2).
declared(transitive/1).
declared(chain/3).
declared(composite/2).
declared(functional/1).
declared(complete/1).
declared(asymmetric/1).

functor_of(KB, F) :-
    current_predicate(KB:F/2),
    sub_atom(F, 0, 2, _, 'r:').

assertion_of(KB, F) :-
    atom_concat('r:', R, F),
    assertz(KB:predicate_of(R, F)).

aggregate_clauses(KB, Count) :-
    findall(N, ( KB:predicate_of(_, F), functor(Head, F, 2),
                 predicate_property(KB:Head, number_of_clauses(N)) ), Ns),
    sum_list(Ns, Count).

%  declare(+KB, +Properties, -Count): each property a list of its name and its relations.
declare(KB, Properties, Count) :-
    forall(member([Name|Relations], Properties), declared_one(KB, Name, Relations)),
    length(Properties, Count).

declared_one(KB, Name, Relations) :-
    length(Relations, Arity),
    (   declared(Name/Arity)
    ->  true
    ;   throw(error(existence_error(property, Name/Arity), _))
    ),
    Fact =.. [Name|Relations],
    (   catch(KB:Fact, _, fail)
    ->  true
    ;   assertz(KB:Fact)
    ).

unload(_, KB, 0) :-
    forgotten(KB).

forgotten(KB) :-
    findall(File, ( functor_of(KB, F), functor(Head, F, 2), source_file(KB:Head, File) ), Files),
    sort(Files, Distinct),
    forall(member(File, Distinct), unload_file(File)),
    forall(( declared(Name/Arity), functor(Head, Name, Arity), predicate_property(KB:Head, dynamic) ),
           retractall(KB:Head)),
    garbage_collect_atoms.

% --- questions -----------------------------------------------------------------------------------------------

ask(KB, R, A, B, Reply) :-
    (   once(proved(KB, R, A, B, Proof))
    ->  Reply = [entailed, Proof]
    ;   once(refuted(KB, R, A, B, Proof))
    ->  Reply = [contradicted, Proof]
    ;   findall(Which, unknown(KB, A, B, Which), Reasons),
        Reply = [unknown, Reasons]
    ),
    abolish_all_tables.

unknown(KB, A, _, subject) :- \+ known(KB, A).
unknown(KB, _, B, object) :- \+ known(KB, B).

prove(KB, R, A, B, Proof) :-
    once(proved(KB, R, A, B, Proof)),
    abolish_all_tables.

refute(KB, R, A, B, Proof) :-
    \+ proved(KB, R, A, B, _),
    once(refuted(KB, R, A, B, Proof)),
    abolish_all_tables.

objects(KB, R, A, Objects) :-
    findall(B, object(KB, R, A, B), Found),
    sort(Found, Objects),
    abolish_all_tables.

object(KB, R, A, B) :- step(KB, R, A, B, _).
object(KB, R, A, B) :- KB:transitive(R), reach(KB, R, A, B), A \== B.
object(KB, R, A, B) :- KB:chain(R, R1, R2), linked(KB, R1, A, C), linked(KB, R2, C, B), A \== B.
object(KB, Same, A, B) :- KB:composite(Same, R), step(KB, R, A, C, _), step(KB, R, B, C, _), A \== B.

linked(KB, R, A, C) :- step(KB, R, A, C, _).
linked(KB, R, A, C) :- KB:transitive(R), reach(KB, R, A, C).

subjects(KB, R, B, Subjects) :-
    findall(A, subject(KB, R, B, A), Found),
    sort(Found, Subjects),
    abolish_all_tables.

subject(KB, R, B, A) :- step(KB, R, A, B, _).
subject(KB, R, B, A) :- KB:transitive(R), reach_back(KB, R, B, A), A \== B.
subject(KB, R, B, A) :- KB:chain(R, R1, R2), linked_back(KB, R2, B, C), linked_back(KB, R1, C, A), A \== B.
subject(KB, Same, B, A) :- KB:composite(Same, R), step(KB, R, B, C, _), step(KB, R, A, C, _), A \== B.

linked_back(KB, R, C, A) :- step(KB, R, A, C, _).
linked_back(KB, R, C, A) :- KB:transitive(R), reach_back(KB, R, C, A).

closure(KB, R, A, Reached) :-
    findall(B, ( reach(KB, R, A, B), A \== B ), Found),
    sort(Found, Reached),
    abolish_all_tables.

about(KB, Entity, Flat) :-
    findall([R, Entity, B], fact(KB, R, Entity, B), First),
    findall([R, A, Entity], ( fact(KB, R, A, Entity), A \== Entity ), Second),
    append(First, Second, Found),
    append(Found, Flat).

% --- enumeration ---------------------------------------------------------------------------------------------

%  facts(+KB, +R, +Skip, +Limit, -Flat): subject, object, subject, object, …
facts(KB, R, Skip, Limit, Flat) :-
    findall([A, B], limit(Limit, offset(Skip, fact(KB, R, A, B))), Pairs),
    append(Pairs, Flat).

%  bases(+KB, +Rule, +R, -Entities): the entities from which a rule may derive facts of R.
bases(KB, Rule, R, Entities) :-
    findall(A, base(Rule, KB, R, A), Found),
    sort(Found, Entities).

base(symmetric, KB, R, A) :- KB:symmetric(R), fact(KB, R, _, A).
base(inverse, KB, R, A) :- KB:inverse(R, I), fact(KB, I, _, A).
base(implied, KB, R, A) :- KB:implied(R, N), fact(KB, N, A, _).
base(transitive, KB, R, A) :- KB:transitive(R), step(KB, R, A, _, _).
base(chain, KB, R, A) :- KB:chain(R, R1, _), step(KB, R1, A, _, _).
base(asymmetric, KB, R, A) :- KB:asymmetric(R), step(KB, R, _, A, _).
base(whole, KB, R, A) :- ( KB:functional(R) -> step(KB, R, A, _, _) ; KB:complete(R), fact(KB, R, A, _) ).
base(object, KB, R, B) :- step(KB, R, _, B, _).

%  hubs(+KB, +R, -Objects): the objects that two or more subjects share.
hubs(KB, R, Objects) :-
    findall(B, step(KB, R, _, B, _), Found),
    msort(Found, Sorted),
    pairs_keys_values(Pairs, Sorted, Sorted),
    group_pairs_by_key(Pairs, Groups),
    findall(B, member(B-[_, _|_], Groups), Objects).

%  sharing(+KB, +R, +B, -Subjects): those that have the object in one step.
sharing(KB, R, B, Subjects) :-
    findall(A, step(KB, R, A, B, _), Found),
    sort(Found, Subjects).

%  consequences(+KB, +Rule, +R, +A, +Limit, -Proofs): facts R(A, _) that the rule adds, each with its proof.
consequences(KB, Rule, R, A, Limit, Proofs) :-
    findall(Proof, limit(Limit, consequence(KB, Rule, R, A, Proof)), Proofs),
    abolish_all_tables.

consequence(KB, Rule, R, A, Proof) :-
    distinct(B, ( proved(KB, R, A, B, Proof), Proof = [Rule|_] )),
    A \== B,
    \+ fact(KB, R, A, B).

% --- for measurements and tests ------------------------------------------------------------------------------

%  time_queries(+KB, +R, +Pairs, -Nanoseconds): the time of each point query, measured here.
time_queries(KB, R, Pairs, Times) :-
    maplist(time_query(KB, R), Pairs, Times).

time_query(KB, R, [A, B], Time) :-
    get_time(Start),
    (   fact(KB, R, A, B)
    ->  true
    ;   true
    ),
    get_time(End),
    Time is round((End - Start) * 1.0e9).  % the clock counts microseconds, so: many look-ups, one median

%  reads_as(+Quoted, +Atom, -Same): 1 if the text is read as the atom and as nothing else. Reads, does not call.
reads_as(Quoted, Atom, Same) :-
    term_to_atom(Term, Quoted),
    (   Term == Atom
    ->  Same = 1
    ;   Same = 0
    ).

%  spin(-Never): work without end, to try the limits.
spin(Never) :-
    repeat,
    Never = never,
    fail.
