// inlay completion: what a shell needs to complete commands and options, from the program's own tree of them.
#include "common.hpp"

namespace inlay::tool {
namespace {
std::string options_of_command(const CLI::App& command) {
    std::string all;
    for (const CLI::Option* o : command.get_options())
        for (const std::string& name : o->get_lnames()) all += (all.empty() ? "--" : " --") + name;
    return all;
}
std::string bash(const CLI::App& app) {
    std::string commands, cases;
    for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) {
        commands += (commands.empty() ? "" : " ") + c->get_name();
        cases += fmt::format("        {}) options=\"{}\" ;;\n", c->get_name(), options_of_command(*c));
    }
    std::string providers;
    for (const provider_factory& f : any_session::available()) providers += (providers.empty() ? "" : " ") + short_name(f.name);
    return fmt::format(R"(# Completion of inlay for bash; made by `inlay completion bash`.
_inlay() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{} {}" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}    esac
    case $before in
        --providers) COMPREPLY=($(compgen -W "{}" -- "$word")); return ;;
        --fallback) COMPREPLY=($(compgen -W "implicit_cpu never any" -- "$word")); return ;;
    esac
    if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _inlay inlay
)", commands, options_of_command(app), cases, providers);
}
}  // namespace

void add_completion(CLI::App& app, action& chosen) {
    CLI::App* command = app.add_subcommand("completion", "Print what a shell needs to complete commands and options: source <(inlay completion bash)");
    auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash")->required()->check(CLI::IsMember({"bash"}));
    command->callback([&app, &chosen, shell] { chosen = [&app] { fmt::print("{}", bash(app)); return int(exit_status::done); }; });
}
}  // namespace inlay::tool
